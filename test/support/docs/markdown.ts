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
