import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** Each control of docs/security.md names tests, and they are there, and are tests. */

const page = new URL('../../../docs/security.md', import.meta.url);
const text = readFileSync(page, 'utf8');
const section = text.slice(text.indexOf('## Controls'), text.indexOf('## What is not held'));
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| control'))
  .map((line) => line.slice(2, -2).split(' | '));

it('lists controls', () => expect(rows.length).toBeGreaterThan(20));

describe.each(rows)('%s', (_control, against, tests) => {
  const named = [...(tests ?? '').matchAll(/\[`(test\/[^`]+\.test\.ts)`\]\(\.\.\/([^)]+)\)/g)];

  it('says against whom, and which tests hold it', () => {
    expect(against).toMatch(/\w/);
    expect(named.length).toBeGreaterThan(0);
    expect(tests!.split(', ')).toHaveLength(named.length);
  });

  it.each(named.map(([, name, link]) => [name!, link!]))('is held by %s', (name, link) => {
    expect(link).toBe(name);
    const file = fileURLToPath(new URL(`../${name}`, page));
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file, 'utf8')).toMatch(/\b(it|test)(\.\w+)*[(.]/);
  });
});
