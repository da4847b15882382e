import { join, sep } from 'node:path';
import { expect, test } from 'vitest';
import { childPath } from '#engine/folders/child-path.ts';

test.each([sep, `${sep}folder`, `${sep}a${sep}b c`])('an entry of %s has the path that joining gives', (folder) =>
  expect(childPath(folder, 'name.txt')).toBe(join(folder, 'name.txt')),
);
