import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openApiDocuments, openApiFolder } from '#main/start/openapi.ts';

/** The descriptions that are checked in are those that the route tables give. */

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** What differs, by the names that a reader knows: `GET /v1/users/me`, `schemas Portal`. */
function differences(kept: Description, made: Description): string[] {
  const names = (groups: Description['paths'], label: (group: string, name: string) => string) =>
    new Map(
      Object.entries(groups).flatMap(([group, items]) =>
        Object.entries(items).map(([name, item]) => [label(group, name), JSON.stringify(item)] as const),
      ),
    );
  const all = ({ paths, components }: Description) =>
    new Map([
      ...names(paths, (path, method) => `${method.toUpperCase()} ${path}`),
      ...names(components, (kind, name) => `${kind} ${name}`),
    ]);
  const [before, after] = [all(kept), all(made)];
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
}

describe.each(Object.entries(openApiDocuments()))('docs/openapi/%s', (name, made) => {
  it('is what the route tables give', () => {
    const kept = readFileSync(join(openApiFolder, name), 'utf8');
    if (kept === made) return;
    const named = differences(JSON.parse(kept) as Description, JSON.parse(made) as Description);
    expect.fail(
      `docs/openapi/${name} is not what the route tables give. Write it anew by \`npm run openapi\`, read what has changed, and commit it. ` +
        `It differs in: ${named.slice(0, 20).join(', ') || 'its head'}${named.length > 20 ? ` and ${named.length - 20} more` : ''}.`,
    );
  });
});

it('says what differs by its name', () => {
  const one = { paths: { '/a': { get: { summary: 'x' } } }, components: { schemas: { A: {}, B: {} } } };
  const other = { paths: { '/a': { get: { summary: 'y' }, put: {} } }, components: { schemas: { A: {} } } };
  expect(differences(one, other)).toEqual(['GET /a', 'schemas B', 'PUT /a']);
});

it('has its paths in order, so that a route that moves within a table changes nothing', () => {
  for (const text of Object.values(openApiDocuments())) {
    const { paths } = JSON.parse(text) as Description;
    expect(Object.keys(paths)).toEqual(Object.keys(paths).toSorted());
  }
});
