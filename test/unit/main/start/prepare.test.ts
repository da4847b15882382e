import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { prepare } from '#main/start/prepare.ts';

/** `npm ci` alone makes everything that the README's commands show. */

it('npm runs it at the end of npm ci', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'));
  expect(scripts.prepare).toBe('node main/start/prepare.ts');
});

it('builds the pages and packs packages where it can', async () => {
  const said: string[] = [];
  let built = 0;
  let packed = 0;
  const build = async () => [++built].map(() => 'web' as const);
  await prepare((text) => said.push(text), { canBuild: () => true, build, pack: async () => void packed++ });
  expect([built, packed, said]).toEqual([1, 1, []]);
});

it('says what to do where the packages for it were left out', async () => {
  const said: string[] = [];
  const build = () => Promise.reject(new Error('There is nothing to build with.'));
  await prepare((text) => said.push(text), { canBuild: () => false, build });
  expect(said.join('')).toMatch(/npm run build/);
});
