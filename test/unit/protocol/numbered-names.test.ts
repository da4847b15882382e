import { expect, it } from 'vitest';
import { createNumbering, numbered } from '#protocol/numbered-names.ts';
import { caseVariants } from '#test/support/case-variants.ts';

it('numbers before the ending', () => {
  expect([numbered('a.tar.gz', 2), numbered('.env', 2), numbered('Makefile', 3)]).toEqual(['a.tar (2).gz', '.env (2)', 'Makefile (3)']);
});

it('does not try all lower numbers again for each name', () => {
  const names = caseVariants(3_000);
  const taken = new Set<string>();
  const freeName = createNumbering();
  let asked = 0;
  const given = names.map((name) => {
    const free = freeName(
      name,
      (candidate) => {
        asked += 1;
        return !taken.has(candidate.toLowerCase());
      },
      name.toLowerCase(),
    );
    taken.add(free.toLowerCase());
    return free;
  });
  expect(given.slice(0, 3)).toEqual([names[0], `${names[1]} (2)`, `${names[2]} (3)`]);
  expect(taken.size).toBe(names.length);
  expect(asked).toBeLessThan(2 * names.length);
});
