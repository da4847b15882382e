import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** The searches of docs/architecture.md: each word leads to the files that it promises. */

const project = fileURLToPath(new URL('../../..', import.meta.url));
const page = readFileSync(join(project, 'docs/architecture.md'), 'utf8');
const rows = page
  .slice(page.indexOf('## Twelve searches'))
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| looked for'))
  .map((line) => {
    const [, looked, word, found] = line.split('|').map((cell) => cell.trim()) as [string, string, string, string];
    return { looked, word, files: [...found.matchAll(/`([^`]+)`/g)].map((match) => match[1]!) };
  });

const spelled = (text: string): string => text.toLowerCase().replace(/[^a-z]+/g, ' ');

describe('a search of docs/architecture.md', () => {
  it('stands there twelve times', () => {
    expect(rows.length).toBe(12);
  });

  it.each(rows)('for $word ends where it says', ({ word, files }) => {
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const found = spelled(file).includes(spelled(word)) || readFileSync(join(project, file), 'utf8').includes(word);
      expect(found, `${file} says “${word}” neither in its name nor in its text`).toBe(true);
    }
  });
});
