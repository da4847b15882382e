import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ownModule } from '#main/own-modules.ts';

/** What our imports name, without Node looking for it: a program's start has two thousand of them. */

const root = new URL('../../../', import.meta.url);
const packageJson = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { imports: Record<string, string> };

it('a room stands where package.json has it', () => {
  const places = Object.entries(packageJson.imports).map(([name, place]) => [name, new URL(place, root).href]);
  expect(places.map(([name]) => [name, ownModule(`${name!.replace('*', 'x.ts')}`, undefined)?.replace('x.ts', '*')])).toEqual(places);
});

it.each([
  ['typebox', `${root}protocol/email.ts`],
  ['node:fs', `${root}protocol/email.ts`],
  ['#protocol/data.json', `${root}protocol/email.ts`],
  ['./email.ts', `${root}node_modules/other/index.ts`],
  ['./email.ts', 'file:///elsewhere/index.ts'],
  ['./email.ts', undefined],
])('leaves %s of %s to Node', (specifier, parent) => {
  expect(ownModule(specifier, parent)).toBeNull();
});

it('has one address for a file, however an import names it', () => {
  const url = new URL('protocol/email.ts', root).href;
  expect(ownModule('#protocol/email.ts', undefined)).toBe(url);
  expect(ownModule('#protocol/hosted/../email.ts', undefined)).toBe(url);
  expect(ownModule('../protocol/email.ts', `${root}service/server.ts`)).toBe(url);
});
