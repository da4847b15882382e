import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { anchorOf, headingsIn, linksIn } from '#test/support/docs/markdown.ts';

/** Every decision stands in the index, under its own number and title, and what was measured for it in the other. */

const folder = fileURLToPath(new URL('../../../docs/decisions/', import.meta.url));
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.md') && name !== 'README.md')
  .toSorted();
const index = readFileSync(`${folder}README.md`, 'utf8');

/** The title of a decision, without its number. */
const titleOf = (file: string): string =>
  readFileSync(`${folder}${file}`, 'utf8')
    .split('\n', 1)[0]!
    .replace(/^# (?:\d{4}[.:]? )?/, '');

const rows = [...index.matchAll(/^\| \[(\d{4})\]\(([^)]+)\) \| (.+?) \| (.+?) \| (.*?) ?\|$/gm)].map(
  ([, number, file, title, status, changedBy]) => ({ number, file, title, status, changedBy: changedBy! }),
);

describe('docs/decisions/README.md', () => {
  it.each(files)('lists %s', (file) => {
    const row = rows.find((one) => one.file === file);
    const wanted = `| [${file.slice(0, 4)}](${file}) | ${titleOf(file)} | holds |  |`;
    expect(row, `docs/decisions/README.md has no row for ${file}. Add, in the order of numbers:\n${wanted}\n`).toBeDefined();
    expect([row!.number, row!.title], `The row of ${file} begins otherwise than the page. Write:\n${wanted}\n`).toEqual([
      file.slice(0, 4),
      titleOf(file),
    ]);
  });

  it('lists nothing else, in the order of numbers', () => {
    expect(rows.map(({ file }) => file)).toEqual(files.filter((file) => rows.some((row) => row.file === file)));
  });

  it('says by what a decision was changed where it was, and only there', () => {
    for (const { file, status, changedBy } of rows) {
      expect(['holds', 'holds in part', 'superseded'], file).toContain(status);
      expect(changedBy !== '', `${file}: ${status}`).toBe(status !== 'holds');
      for (const [, number, target] of changedBy.matchAll(/\[(\d{4})\]\(([^)]+)\)/g)) {
        expect(files, `${file} is changed by ${target}`).toContain(target);
        expect(target!.slice(0, 4), file).toBe(number);
        expect(target! > file!, `${file} is changed by an older one, ${target}`).toBe(true);
      }
    }
  });
});

it('every decision begins with a name of four digits and a title', () => {
  for (const file of files) {
    expect(file).toMatch(/^\d{4}-[a-z0-9-]+\.md$/);
    expect(titleOf(file), file).not.toBe('');
  }
});

/** How long a page is. Whole tables of measurements go to docs/performance. */
const mostLines = 60;

it.each(files)('%s is a page at most', (file) => {
  const lines = readFileSync(join(folder, file), 'utf8').trimEnd().split('\n').length;
  expect(lines, `${file}: move what was measured to docs/performance/, and say here what follows from it`).toBeLessThanOrEqual(mostLines);
});

const measured = join(folder, '../performance');
const topics = readdirSync(measured).filter((name) => name !== 'README.md');

it('docs/performance/README.md lists each of its pages once', () => {
  const listed = [...readFileSync(join(measured, 'README.md'), 'utf8').matchAll(/^\| \[[^\]]+\]\(([^)]+)\)/gm)].map((match) => match[1]);
  expect(listed.toSorted()).toEqual(topics.toSorted());
});

const docs = join(folder, '..');

describe.each([
  ...['README.md', ...files].map((file) => `decisions/${file}`),
  ...['README.md', ...topics].map((file) => `performance/${file}`),
])('docs/%s', (page) => {
  it('leads to pages that are there', () => {
    for (const { target, anchor } of linksIn(readFileSync(join(docs, page), 'utf8'))) {
      const path = join(docs, target === '' ? page : join(page, '..', target));
      expect(existsSync(path), target).toBe(true);
      if (anchor === null) continue;
      const anchors = headingsIn(readFileSync(path, 'utf8')).map((heading) => anchorOf(heading.text));
      expect(anchors, target).toContain(anchor);
    }
  });
});
