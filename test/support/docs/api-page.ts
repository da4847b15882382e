import { readFileSync } from 'node:fs';

/** A block of commands or code of docs/api.md. */
export interface PageBlock {
  readonly language: string;
  /** What stands behind the language: names a block that is not part of the page's one long script. */
  readonly mark: string;
  /** The heading above it. */
  readonly section: string;
  readonly text: string;
}

/** docs/api.md as a reader runs it: its blocks, in order. */
export function apiPageBlocks(): readonly PageBlock[] {
  const page = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
  let section = '';
  const blocks: PageBlock[] = [];
  for (const [, heading, language, mark = '', text] of page.matchAll(/^## ([^\n]+)$|^```(\w+)(?: (\w+))?\n(.*?)^```$/gms)) {
    if (heading !== undefined) section = heading;
    else blocks.push({ language: language!, mark, section, text: text! });
  }
  return blocks;
}
