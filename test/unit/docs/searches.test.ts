import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** The searches of docs/architecture.md: each word leads to the files that it promises. */

const project = fileURLToPath(new URL('../../..', import.meta.url));
const page = readFileSync(join(project, 'docs/architecture.md'), 'utf8');
const rows = page
  .slice(page.indexOf('## Searches'))
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| looked for'))
  .map((line) => {
    const [, looked, word, found] = line.split('|').map((cell) => cell.trim()) as [string, string, string, string];
    return { looked, word, files: [...found.matchAll(/`([^`]+)`/g)].map((match) => match[1]!) };
  });

const rooms = [...page.matchAll(/^\| \[`([\w-]+)\/`\]/gm)].map(([, room]) => room!).filter((room) => !['test', 'bench'].includes(room));
const textOf = (file: string): string => readFileSync(join(project, file), 'utf8');
const spelled = (text: string): string => text.toLowerCase().replace(/[^a-z]+/g, ' ');
/** Longer results of a search are not read to their end. */
const shortSearch = 12;

describe('a search of docs/architecture.md', () => {
  it('stands there once for each thing that is looked for', () => {
    expect(rows.length).toBeGreaterThan(30);
    expect(new Set(rows.map(({ looked }) => looked)).size).toBe(rows.length);
  });

  it.each(rows)('for $word ends where it says', ({ word, files }) => {
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const found = spelled(file).includes(spelled(word)) || spelled(textOf(file)).includes(spelled(word));
      expect(found, `${file} says “${word}” neither in its name nor in its text`).toBe(true);
    }
  });

  it.each(rows)('for $word finds one of them by its name, or is short', ({ word, files }) => {
    if (files.some((file) => spelled(file).includes(spelled(word)))) return;
    const sources = execFileSync('git', ['ls-files', '--', ...rooms], { cwd: project, encoding: 'utf8' })
      .trim()
      .split('\n');
    const hits = sources.filter((file) => /\.tsx?$/.test(file) && textOf(file).includes(word));
    expect(hits.length, `“${word}” is in ${hits.join(', ')}`).toBeLessThanOrEqual(shortSearch);
  });
});
