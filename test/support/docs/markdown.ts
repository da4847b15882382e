/** Headings and anchors of a Markdown page, as far as tests of documents look at them. */

export interface Heading {
  readonly depth: number;
  readonly text: string;
  /** `3` or `3.2`; null where it has none. */
  readonly number: string | null;
}

/** A page without its code blocks: examples are not prose. */
export const proseOf = (markdown: string): string => markdown.replaceAll(/^```.*?^```/gms, '');

export const headingsIn = (markdown: string): Heading[] =>
  [...proseOf(markdown).matchAll(/^(#{1,4}) (.+)$/gm)].map(([, hashes, text]) => ({
    depth: hashes!.length,
    text: text!,
    number: /^(\d+(?:\.\d+)*)\.? /.exec(text!)?.[1] ?? null,
  }));

/** The anchor that a heading has where a repository's pages are shown. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** Links to files beside it: where to, and the anchor there, if any. `''` is the page itself. */
export const linksIn = (markdown: string): readonly { readonly target: string; readonly anchor: string | null }[] =>
  [...proseOf(markdown).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link!)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => ({ target: link.split('#')[0]!, anchor: link.split('#')[1] ?? null }));

/** What stands in code blocks, in lists too, without the list's indentation. */
export const codeIn = (markdown: string): string[] =>
  [...markdown.matchAll(/^( *)```[^\n]*\n(.*?)^\1```$/gms)].map(([, indent, code]) => code!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));

/** A part of a page, from a heading or a bold beginning to the next of its kind. */
export function partOf(markdown: string, beginning: string): string {
  const at = markdown.indexOf(beginning);
  if (at < 0) throw new Error(`The page has no "${beginning}".`);
  const mark = /^(?:#+ |\*\*)/.exec(beginning)![0];
  const next = markdown.indexOf(`\n${mark}`, at + beginning.length);
  return markdown.slice(at, next < 0 ? undefined : next);
}
