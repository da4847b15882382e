import { expect, test } from 'vitest';
import type { FileFilter } from '#service/filters/match.ts';
import { matchMany } from '#service/filters/match-many.ts';

/** Names that take `milliseconds` each, and the turns that others had before each. */
function slowFilter(milliseconds: number) {
  const clock = { now: 0 };
  let turns = 0;
  const seen: number[] = [];
  const goes: FileFilter = Object.assign(
    (name: string) => {
      clock.now += milliseconds;
      seen.push(turns);
      return name.endsWith('.mov');
    },
    { steps: 1 },
  );
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const end = (): void => {
    isOver = true;
  };
  return { goes, seen, now: () => clock.now, end };
}

test('other work goes on between names that take long', async () => {
  const { goes, seen, now, end } = slowFilter(4);
  expect(await matchMany(goes, ['a.mov', 'b.txt', 'c.mov', 'd', 'e', 'f.mov'], { now })).toEqual([true, false, true, false, false, true]);
  end();
  expect(seen[0]).toBe(seen[2]);
  expect(seen[3]).toBeGreaterThan(seen[2]!);
});

test('it ends with its signal', async () => {
  const { goes, seen, now, end } = slowFilter(20);
  const stop = new AbortController();
  const stopping: FileFilter = Object.assign(
    (name: string) => {
      if (name === 'b') stop.abort();
      return goes(name);
    },
    { steps: 1 },
  );
  const matching = matchMany(stopping, ['a', 'b', 'c'], { signal: stop.signal, now });
  await expect(matching).rejects.toThrow();
  end();
  expect(seen).toHaveLength(2);
});
