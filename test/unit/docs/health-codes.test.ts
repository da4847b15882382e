import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ErrorName, errorCatalogue } from '#protocol/errors.ts';

/** Codes of `/healthz` that the operator's pages name, each behind what it is of. */

const words: readonly (readonly [RegExp, ErrorName])[] = [
  [/disk (?:is full|of the database)$/, 'service_database_full'],
  [/is full$/, 'service_storage_full'],
  [/does not answer$/, 'storage_unavailable'],
  [/(?:refuses|is refused later is answered 503)$/, 'storage_refused'],
  [/operator's page$/, 'storage_damaged'],
];

describe.each(['troubleshooting', 'monitoring', 'storage', 'backup'])('%s', (page) => {
  const text = readFileSync(new URL(`../../../docs/operating/${page}.md`, import.meta.url), 'utf8');
  const named = [...text.matchAll(/([^(]*?) \((3276\d\d)\)/g)].map(([, before, code]) => [before!, Number(code)] as const);

  it('names codes', () => {
    expect(named).not.toEqual([]);
  });

  it.each(named)('%s (%i)', (before, code) => {
    const name = words.find(([pattern]) => pattern.test(before))?.[1];
    expect(name && errorCatalogue[name].code).toBe(code);
  });
});
