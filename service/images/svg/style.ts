import { ImageRefused } from '../image-refused.ts';

/** Classes, and what a style sheet declares of them; null: of any element. */
type Rule = readonly [classNames: ReadonlySet<string | null>, declarations: string];

/**
 * A style without what may hide something in it: notes, and what stands in quotes. References have the form `url(#id)`. In a time
 * that grows with its length alone. Errors: `ImageRefused` for quotes that are not closed.
 */
export function plainStyle(style: string): string {
  const text = style.replaceAll(/url\(\s*(["']?)(#[\w.-]+)\1\s*\)/gi, 'url($2)');
  const parts: string[] = [];
  let from = 0;
  for (const { 0: begin, index } of text.matchAll(/\/\*|["']/g)) {
    if (index < from) continue;
    parts.push(text.slice(from, index), ' ');
    const end = text.indexOf(begin === '/*' ? '*/' : begin, index + begin.length);
    // A note that nobody closes takes the rest.
    if (end < 0 && begin === '/*') return parts.join('');
    if (end < 0 || (begin !== '/*' && /[\n\r\f]/.test(text.slice(index, end))))
      throw new ImageRefused('has quotes in its style that are not closed');
    from = end + begin.length;
  }
  return parts.join('') + text.slice(from);
}

/**
 * The rules of a style sheet. Only those for a class, as drawing programs write them, are known to be for nobody else.
 *
 * @param sheet as `plainStyle` returns it
 */
export function rulesOf(sheet: string): readonly Rule[] {
  return sheet.split('}').map((block): Rule => {
    const [selectors = '', declarations = '', ...more] = block.split('{');
    // A rule in a rule, or the end of one with others in it. A variable is for what is within, too.
    if (more.length > 0 || !block.includes('{') || declarations.includes('--')) return [new Set([null]), block];
    return [new Set(selectors.split(',').map((selector) => /^\s*\.([\w-]+)\s*$/.exec(selector)?.[1] ?? null)), declarations];
  });
}
