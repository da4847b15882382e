import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../../..');

/** What a run with these settings tries: read once, as its process begins. */
function shared(LONGSHORE_SOAK: string, LONGSHORE_SOAK_SHARE: string): unknown {
  const script =
    "import { runs, seeds } from '#test/support/faults/seeds.ts'; console.log(JSON.stringify([runs(5, 1_001), seeds(30).length]))";
  const env = { ...process.env, LONGSHORE_SOAK, LONGSHORE_SOAK_SHARE };
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: root, env, encoding: 'utf8' }));
}

it('a soak with a share of its seeds tries that share of everything', () => {
  expect(shared('1', '0.1')).toEqual([101, 3]);
  expect(shared('1', '1')).toEqual([1_001, 30]);
  expect(shared('', '0.1')).toEqual([5, 30]);
});

it('no property says by itself how often a soak tries it', () => {
  const own = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.endsWith('seeds.test.ts'))
    .filter((name) => /numRuns: soaking/.test(readFileSync(join(root, 'test', name), 'utf8')));
  expect(own).toEqual([]);
});
