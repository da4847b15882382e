import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { linksIn, proseOf } from '#test/support/docs/markdown.ts';

/** The pages about rooms name what is there, and the imports that the check allows. */

interface Rule {
  readonly name: string;
  readonly to: { readonly path?: string | readonly string[] };
}

const project = fileURLToPath(new URL('../../..', import.meta.url));
const { forbidden } = createRequire(import.meta.url)(join(project, '.dependency-cruiser.cjs')) as { forbidden: readonly Rule[] };

/** Of each room that has a rule, the rooms that it may not import. */
const refused = new Map(
  forbidden.flatMap(({ name, to }) => {
    const room = /^(.+)-looks-only-into-/.exec(name)?.[1];
    return room ? [[room, [to.path ?? []].flat().map((path) => /^\^(.+)\/$/.exec(path)![1]!)] as const] : [];
  }),
);
const rooms = [...new Set([...refused.keys(), ...[...refused.values()].flat()])].toSorted();
const allowedTo = (room: string): string[] => rooms.filter((other) => other !== room && !refused.get(room)!.includes(other));

/** What stands between backticks. */
const codeIn = (text: string): string[] => [...proseOf(text).matchAll(/`([^`\n]+)`/g)].map((match) => match[1]!);

/** Paths among them: with a slash inside or at the end, or with the end of a file of ours. */
const pathsIn = (text: string): string[] =>
  codeIn(text)
    .flatMap((code) => code.split(/\s+/))
    .filter(
      (word) => /^[\w.-]+(?:\/[\w.-]+)*\/?$/.test(word) && (word.includes('/') || /\.(?:tsx?|c?js|json|md|html|css|yml)$/.test(word)),
    );

const roomsNamed = (text: string): string[] =>
  codeIn(text)
    .map((code) => code.replace(/\/$/, ''))
    .filter((code) => rooms.includes(code))
    .toSorted();

/** A room's page names paths from its own folder, or from the project's. */
function expectPaths(document: string, places: readonly string[]): void {
  const text = readFileSync(join(project, document), 'utf8');
  const paths = pathsIn(text);
  expect(paths.length, document).toBeGreaterThan(1);
  const missing = paths.filter((path) => !places.some((place) => existsSync(join(project, place, path))));
  expect(missing, `${document} names what is not there`).toEqual([]);
  for (const { target } of linksIn(text)) {
    if (target !== '') expect(existsSync(join(project, document, '..', target)), `${document} leads to ${target}`).toBe(true);
  }
}

describe.each(rooms)('%s/README.md', (room) => {
  const document = `${room}/README.md`;

  it('names paths that are there', () => {
    expectPaths(document, [room, '.']);
  });

  it('says what the room may import', () => {
    const sentence = /^It may import ([^\n]*?)[.:](?: |$)/m.exec(readFileSync(join(project, document), 'utf8'))?.[1];
    expect(sentence, `${document} has no line "It may import …"`).toBeDefined();
    if (refused.has(room)) expect(roomsNamed(sentence!)).toEqual(allowedTo(room));
    else expect(sentence).toMatch(/^anything/);
  });
});

describe('docs/architecture.md', () => {
  const document = 'docs/architecture.md';

  it('names paths that are there', () => {
    expectPaths(document, ['.']);
  });

  it('has every room, with what it may import', () => {
    const rows = [...readFileSync(join(project, document), 'utf8').matchAll(/^\| \[`([\w-]+)\/`\][^|]*\|[^|]*\|([^|]*)\|$/gm)];
    expect(rows.map(([, room]) => room).toSorted()).toEqual(rooms);
    for (const [, room, imports] of rows) {
      if (refused.has(room!)) expect(roomsNamed(imports!), room).toEqual(allowedTo(room!));
      else expect(imports, room).toContain('anything');
    }
  });
});
