import { readFile, writeFile } from 'node:fs/promises';

const begin = '<!-- results: written by npm run bench -->';
const end = '<!-- end of results -->';

/** Puts results into a page, in the place of earlier ones, else at its end. What people wrote around them stays. */
export function withResults(page: string, results: string): string {
  const section = `${begin}\n${results.trim()}\n${end}`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from === -1 || to < from) return `${page.trimEnd()}${page.trim() === '' ? '' : '\n\n'}${section}\n`;
  return page.slice(0, from) + section + page.slice(to + end.length);
}

export async function writeResults(file: string, results: string): Promise<void> {
  const page = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  await writeFile(file, withResults(page, results));
}
