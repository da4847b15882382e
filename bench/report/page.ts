import { readFile, writeFile } from 'node:fs/promises';

/** The parts of a page that are written by a run, each in the place of an earlier one. */
export type Section =
  | 'results'
  | 'big results'
  | 'large results'
  | 'API results'
  | 'million results'
  | 'far results'
  | 'pages results'
  | 'gui results'
  | 'clouds results';

const marksOf = (section: Section) => ({ begin: `<!-- ${section}: written by npm run bench -->`, end: `<!-- end of ${section} -->` });

/** Writes results into a page: they replace earlier ones, or are added at the end. Text around them stays. */
export function withResults(page: string, results: string, of: Section = 'results'): string {
  const { begin, end } = marksOf(of);
  const section = `${begin}\n${results.trim()}\n${end}`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from === -1 || to < from) return `${page.trimEnd()}${page.trim() === '' ? '' : '\n\n'}${section}\n`;
  return page.slice(0, from) + section + page.slice(to + end.length);
}

export async function writeResults(file: string, results: string, of: Section = 'results'): Promise<void> {
  const page = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  await writeFile(file, withResults(page, results, of));
}
