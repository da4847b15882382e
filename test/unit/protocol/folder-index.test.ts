import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFolderIndex } from '#protocol/folder-index.ts';

const folder = fc.array(fc.constantFrom('a', 'b', 'a b', 'a-', 'ab', 'é'), { minLength: 1, maxLength: 4 }).map((steps) => steps.join('/'));

it('knows each folder and those above it, and nothing else', () => {
  fc.assert(
    fc.property(fc.array(folder, { maxLength: 8 }), fc.array(folder), (folders, asked) => {
      const index = createFolderIndex();
      const known = new Set<string>();
      for (const one of folders) {
        index.add(one);
        for (let at = one.length; at > 0; at = one.lastIndexOf('/', at - 1)) known.add(one.slice(0, at));
        for (const path of asked) expect(index.has(path)).toBe(known.has(path));
      }
      for (const path of [...known, '', ...asked]) expect(index.has(path)).toBe(known.has(path));
    }),
  );
});
