import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ProviderName, providerNames } from '#protocol/providers.ts';
import type { Language } from '#ui/locale.ts';
import { type Block, type Inline, inlineOf, readMarkdown } from '#web/console/setup/markdown.ts';
import { setupPageOf, setupTextOf } from '#web/console/setup/pages.ts';

const blocksIn = (blocks: readonly Block[]): Block[] =>
  blocks.flatMap((block) => [block, ...(block.kind === 'list' ? block.items.flatMap(blocksIn) : [])]);
const wordsOf = (parts: readonly Inline[]): Inline[] =>
  parts.flatMap((part) => ('parts' in part ? [part, ...wordsOf(part.parts)] : [part]));
const plainTexts = (blocks: readonly Block[]): string[] =>
  blocksIn(blocks)
    .flatMap((block) =>
      block.kind === 'table' ? [block.head, ...block.rows].flatMap((row) => row.flat()) : 'parts' in block ? [...block.parts] : [],
    )
    .flatMap((part) => wordsOf([part]))
    .flatMap((part) => (part.kind === 'text' ? [part.text] : []));

const textOf = (name: ProviderName, language: Language): string =>
  setupTextOf(name, language, readFileSync(new URL(`../../../../docs/${setupPageOf(name, language).file}`, import.meta.url), 'utf8'));

/** What two pages in two languages have in common: the order of their parts, what is to be copied, and names in code. */
const formOf = (blocks: readonly Block[]): unknown[] =>
  blocks.map((block) => {
    switch (block.kind) {
      case 'code':
        return block;
      case 'list':
        return { kind: 'list', ordered: block.ordered, items: block.items.map(formOf) };
      case 'table':
        return { kind: 'table', rows: [block.head, ...block.rows].map((row) => row.map(codeIn)) };
      case 'heading':
        return { kind: 'heading', level: block.level, code: codeIn(block.parts) };
      default:
        return { kind: block.kind, code: codeIn(block.parts) };
    }
  });
const codeIn = (parts: readonly Inline[]): string[] =>
  wordsOf(parts)
    .flatMap((part) => (part.kind === 'code' ? [part.text] : []))
    .toSorted();

describe.each(providerNames)('the setup page of %s', (name) => {
  it('says in German what it says in English, part by part', () => {
    const [german, english] = [readMarkdown(textOf(name, 'de')), readMarkdown(textOf(name, 'en'))];
    expect(formOf(german)).toEqual(formOf(english));
    expect(german).not.toEqual(english);
  });

  it.each(['en', 'de'] as const)('is there, and nothing of its Markdown is left in what is read: %s', (language) => {
    const text = textOf(name, language);
    const blocks = readMarkdown(text);
    expect(blocks.length).toBeGreaterThan(1);
    for (const plain of plainTexts(blocks)) expect(plain).not.toMatch(/`|\*\*|\]\(|^\s*[-#|] |\|$|^\d+\. /);
    const rows = blocksIn(blocks).flatMap((block) =>
      block.kind === 'table' ? block.rows.map((row) => [row.length, block.head.length]) : [],
    );
    for (const [cells, columns] of rows) expect(cells).toBe(columns);
    for (const block of blocksIn(blocks)) {
      if (block.kind === 'code' && block.language === 'json') expect(() => JSON.parse(block.text)).not.toThrow();
    }
    // Every line of code that the file has is in the page.
    expect(blocksIn(blocks).filter(({ kind }) => kind === 'code').length).toBe([...text.matchAll(/^ *```./gm)].length);
  });
});

it('reads lists with code in them, tables and words', () => {
  const text =
    '1. **A**: `x`\n\n   ```bash\n   run\n   ```\n2. B\n\n| a | b |\n|---|---|\n| `x|y` | [z](https://example.com) [w](w.md) |\n';
  expect(readMarkdown(text)).toEqual([
    {
      kind: 'list',
      ordered: true,
      items: [
        [
          { kind: 'paragraph', parts: [{ kind: 'strong', parts: inlineOf('A') }, ...inlineOf(': `x`')] },
          { kind: 'code', language: 'bash', text: 'run' },
        ],
        [{ kind: 'paragraph', parts: inlineOf('B') }],
      ],
    },
    {
      kind: 'table',
      head: [inlineOf('a'), inlineOf('b')],
      rows: [
        [
          [{ kind: 'code', text: 'x|y' }],
          [
            { kind: 'link', href: 'https://example.com', parts: inlineOf('z') },
            { kind: 'text', text: ' ' },
            { kind: 'text', text: 'w' },
          ],
        ],
      ],
    },
  ]);
});
