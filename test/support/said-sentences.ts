import { readdirSync, readFileSync } from 'node:fs';

/** Stands in a sentence for what the program puts there. */
export const placeholder = '\u0000';

/**
 * The sentences that the sources of a folder say to people: literals that begin with a capital letter or a placeholder and end
 * with a full stop. Of a choice inside a template each literal is one, and a constant of the same file is put in its place.
 */
export function saidSentences(folder: string): readonly string[] {
  const sources = readdirSync(new URL(`../../${folder}`, import.meta.url), { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && one.name.endsWith('.ts'))
    .map((one) => readFileSync(`${one.parentPath}/${one.name}`, 'utf8'));
  const said = sources.flatMap((source) => {
    const constants = new Map(
      [...source.matchAll(/^const (\w+) =\s+(['"`][^\n]*);$/gm)].map(([, name = '', literal = '']) => [name, literalsIn(literal)[0] ?? '']),
    );
    return literalsIn(source, constants);
  });
  return [...new Set(said.map((text) => text.trim()))].filter(
    (text) => /^(?:[A-Z]|\0).* .*[a-z"').]\.$/s.test(text) && !text.includes('\n'),
  );
}

/** Every literal of a text, each in all its variants. */
function literalsIn(source: string, constants: ReadonlyMap<string, string> = new Map()): string[] {
  const found: string[] = [];
  let at = 0;
  while (at < source.length) {
    const comment = /^(?:\/\*[\s\S]*?\*\/|\/\/[^\n]*)/.exec(source.slice(at, at + 4_000))?.[0];
    const quote = source[at]!;
    if (comment) at += comment.length;
    else if (quote === "'" || quote === '"') {
      const [whole, text] = (quote === "'" ? /'((?:[^'\\\n]|\\.)*)'/y : /"((?:[^"\\\n]|\\.)*)"/y).exec(source.slice(at)) ?? [];
      if (text !== undefined) found.push(text.replace(/\\(['"])/g, '$1'));
      at += whole?.length ?? 1;
    } else if (quote === '`') {
      const template = readTemplate(source, at + 1, constants);
      found.push(...template.variants);
      at = template.end;
    } else at += 1;
  }
  return found;
}

function readTemplate(source: string, start: number, constants: ReadonlyMap<string, string>): { variants: string[]; end: number } {
  let variants = [''];
  let at = start;
  while (at < source.length && source[at] !== '`') {
    if (source.startsWith('${', at)) {
      const end = closingBrace(source, at + 2);
      const inside = source.slice(at + 2, end);
      const constant = constants.get(inside);
      const literals = constant === undefined ? literalsIn(inside, constants) : [constant];
      const filled = literals.length > 0 ? literals : [placeholder];
      variants = variants.flatMap((text) => filled.map((one) => text + one));
      at = end + 1;
    } else {
      if (source[at] === '\\') at += 1;
      variants = variants.map((text) => text + source[at]);
      at += 1;
    }
  }
  return { variants, end: at + 1 };
}

function closingBrace(source: string, start: number): number {
  let open = 1;
  let at = start;
  for (; at < source.length; at++) {
    if (source[at] === '`') at = readTemplate(source, at + 1, new Map()).end - 1;
    else if (source[at] === '{') open += 1;
    else if (source[at] === '}') open -= 1;
    if (open === 0) break;
  }
  return at;
}
