import { readFileSync } from 'node:fs';

/** A block of commands or code of a page of docs/. */
export interface PageBlock {
  readonly language: string;
  /** What stands behind the language: names a block that is not part of the page's one long script. */
  readonly mark: string;
  /** The heading above it. */
  readonly section: string;
  readonly text: string;
}

/** A page of docs/ as a reader runs it: its blocks, in order. */
export function pageBlocks(name: 'api.md' | 'connections.md'): readonly PageBlock[] {
  const page = readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
  let section = '';
  const blocks: PageBlock[] = [];
  for (const [, heading, language, mark = '', text] of page.matchAll(/^## ([^\n]+)$|^```(\w+)(?: (\w+))?\n(.*?)^```$/gms)) {
    if (heading !== undefined) section = heading;
    else blocks.push({ language: language!, mark, section, text: text! });
  }
  return blocks;
}
