import { expect, test } from 'vitest';
import type { FilterRule } from '#protocol/hosted/filters.ts';
import type { Actor } from '#service/credentials/credential.ts';
import { filterHandlers } from '#service/filters/handlers.ts';
import type { FileFilter } from '#service/filters/match.ts';
import { matchMany } from '#service/filters/match-many.ts';
import type { Context } from '#service/handler.ts';

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

test('so does the test of a filter whose client has gone', async () => {
  const credential = { kind: 'api_key', keyId: '1', teamId: '2', userId: '3', role: 'owner' } as const;
  const gone = { credential, disconnection: () => AbortSignal.abort(new Error('gone')) } as Partial<Context> as Context<Actor>;
  // Almost the most that is taken: a quarter of a second, of which it does the first few milliseconds.
  const rule: FilterRule = { action: 'include', criterion: 'file_name', operator: 'regex_match', values: ['(.*[ab]){400}[yz]$'] };
  const names = Array.from({ length: 60 }, () => 'a'.repeat(200));
  const trying = filterHandlers.testFilter({ params: { team_id: '2' }, query: {}, body: { rules: [rule], names } }, gone);
  await expect(trying).rejects.toThrow('gone');
});
