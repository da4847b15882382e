import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** What takes longer than all of `npm run test:unit` may. */
const slow =
  /#test\/support\/(browser\/(built-pages|chromium)|service\/(start-service|postgres|databases\/borrow))\.ts|buildPages|startService\(/;

test('unit tests need no built pages, no browser and no database', () => {
  const unit = fileURLToPath(new URL('../../', import.meta.url));
  const files = readdirSync(unit, { recursive: true, encoding: 'utf8' }).filter((name) => /\.test\.tsx?$/.test(name));
  expect(files.length).toBeGreaterThan(200);
  const found = files.filter(
    (name) => name !== join('support', 'run', 'unit-tests.test.ts') && slow.test(readFileSync(join(unit, name), 'utf8')),
  );
  expect(found).toEqual([]);
});
