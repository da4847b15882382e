import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PathRules } from '#providers/ports.ts';
import { fittingNames, fittingPath } from '#service/transfers/delivery/long-names.ts';
import { runs } from '#test/support/faults/seeds.ts';
import { createInMemoryProvider, newCloud } from '#test/support/providers/in-memory-provider.ts';
import { deliveryBench, filesBelow, manifestFacts } from '#test/support/service/delivery-bench.ts';
import { storeFiles } from '#test/support/service/stored-files.ts';

/** As S3, but shorter: the whole path has a limit. */
const shortPaths: PathRules = {
  problem: (path) => (Buffer.byteLength(path) > 120 ? 'The path is longer than 120 bytes.' : path.includes('*') ? 'No asterisks.' : null),
  ignoresCase: false,
};
/** As Box, but shorter: each name has one. */
const shortNames: PathRules = {
  problem: (path) => (path.split('/').some((step) => step.length > 60) ? 'A name is longer than 60 characters.' : null),
  ignoresCase: true,
};

const long = (count: number, end = '.mov'): string => 'é'.repeat(count) + end;

describe('a path that is too long', () => {
  test.each([
    ['one that fits', 'day/a.mov', /^D\/day\/a\.mov$/],
    ['a long name is cut and keeps its extension', `day/${long(80)}`, /^D\/day\/é{41}_x2026_[0-9a-f]{20}\.mov$/],
    ['what is escaped in it stays escaped', `day/*${long(80)}`, /^D\/day\/_x002A_é+_x2026_[0-9a-f]{20}\.mov$/],
    ['long folders become one', `${long(60, '')}/b/a.mov`, /^D\/_x2026_[0-9a-f]{20}\/a\.mov$/],
    ['both', `${long(60, '')}/${long(80)}`, /^D\/_x2026_[0-9a-f]{20}\/é+_x2026_[0-9a-f]{20}\.mov$/],
  ])('%s', (_, path, expected) => {
    const target = fittingPath(shortPaths, 'D', path);
    expect(target).toMatch(expected);
    expect(shortPaths.problem(target)).toBeNull();
  });

  test('whose folder leaves no room at all stays, and is told', () => {
    const folder = 'D'.repeat(110);
    expect(shortPaths.problem(fittingPath(shortPaths, folder, 'a longer name.mov'))).not.toBeNull();
  });

  test('no two become one', () => {
    const step = fc.string({ unit: fc.constantFrom('a', 'b', '_', 'x', '2', '0', '6', '.', '*', 'é'), minLength: 1, maxLength: 90 });
    const path = fc.array(step, { minLength: 1, maxLength: 3 }).map((steps) => steps.join('/'));
    fc.assert(
      fc.property(fc.uniqueArray(path, { minLength: 2, maxLength: 12 }), (paths) => {
        const targets = paths.map((one) => fittingPath(shortPaths, 'D', one));
        expect(new Set(targets).size).toBe(paths.length);
        for (const target of targets) expect(shortPaths.problem(target)).toBeNull();
      }),
      { numRuns: runs(100, 3_000) },
    );
  });

  test('a name has other cut spellings, for a folder of the same name', () => {
    const spellings = [...fittingNames(shortNames, long(80))];
    expect(new Set(spellings).size).toBe(4);
    for (const one of spellings) expect(shortNames.problem(one)).toBeNull();
  });
});

test.each([
  ['the path', shortPaths],
  ['each name', shortNames],
])('where %s has a limit a package with longer ones arrives whole, and the manifest names each', async (_, paths) => {
  const name = long(100);
  const contents: Record<string, Buffer> = Object.fromEntries(
    [name, name.toUpperCase(), `${long(100)}x`, `${name}/inside.mov`, 'short.mov'].map((path) => [path, randomBytes(50)]),
  );
  const cloud = newCloud();
  const provider = { ...createInMemoryProvider(cloud), paths };
  const folder = 'Rushes';
  const { manifest } = await deliveryBench(storeFiles(contents), cloud, { provider }).run({ folder, manifest: manifestFacts });
  const written = JSON.parse(cloud.files.get(manifest!)!.bytes.toString()) as {
    files: { path: string; target: string; name_changed: boolean }[];
  };
  const arrived = filesBelow(cloud, folder);
  expect(written.files).toHaveLength(5);
  for (const { path, target, name_changed } of written.files) {
    expect(arrived.get(target)?.equals(contents[path]!), path).toBe(true);
    expect(name_changed).toBe(path !== 'short.mov');
    expect(paths.problem(`${folder}/${target}`)).toBeNull();
  }
});
