import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * Takes the pictures of docs/guide.md anew, by the test that goes the guide's way in a real browser: `npm run pictures`.
 * Look at them before they are committed.
 */
const root = join(import.meta.dirname, '..');
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'test/e2e/console/first-day.test.ts'],
  { cwd: root, stdio: 'inherit', env: { ...process.env, LONGSHORE_PICTURES: join(root, 'docs/pictures') } },
);
process.exitCode = status ?? 1;
