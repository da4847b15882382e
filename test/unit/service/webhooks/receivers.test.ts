import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Receivers, type Turn } from '#service/webhooks/receivers.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);
const leave = (turn: Turn) => {
  if ('putOff' in turn) throw new Error('it has no place');
  turn.leave();
};
/** What so many calls have got, as they get it. */
function manyTurns(receivers: Receivers, id: string, count: number): Turn[] {
  const got: Turn[] = [];
  for (let n = 0; n < count; n++) void receivers.turn(id).then((turn) => got.push(turn));
  return got;
}
const placesOf = (got: readonly Turn[]) => got.filter((turn) => 'leave' in turn).length;
const putOffOf = (got: readonly Turn[]) => got.flatMap((turn) => ('putOff' in turn ? [Math.round(turn.putOff)] : []));
const onFakeTime = () => new Receivers(() => Date.now());

test('a receiver has so many places, and whoever waits has the next that is left', async () => {
  const receivers = onFakeTime();
  const got = manyTurns(receivers, 'a', 12);
  await pass(0);
  expect([placesOf(got), putOffOf(got)]).toEqual([8, []]);
  leave(got[0]!);
  await pass(0);
  expect(placesOf(got)).toBe(9);
  const other = manyTurns(receivers, 'b', 8);
  await pass(0);
  expect(placesOf(other)).toBe(8);
});

test('what waits for one that does not answer is put off, to when it comes to it at that speed; nobody waits for it again', async () => {
  const receivers = onFakeTime();
  const got = manyTurns(receivers, 'a', 12);
  await pass(1_000);
  // Nothing is known yet but that it takes a second: four places have 250 ms for each.
  expect([placesOf(got), putOffOf(got)]).toEqual([8, [1_250, 1_500, 1_750, 2_000]]);
  await pass(4_000);
  const later = manyTurns(receivers, 'a', 2);
  await pass(0);
  expect([placesOf(later), putOffOf(later)]).toEqual([0, [2_250, 3_500]]);
  for (const turn of got.slice(0, 8)) leave(turn);
  // A slow one has half of the places.
  const slow = manyTurns(receivers, 'a', 8);
  await pass(0);
  expect(placesOf(slow)).toBe(4);
});

test('is fast again once it answers fast, and no delivery is put off for longer than ten minutes', async () => {
  const receivers = onFakeTime();
  const got = manyTurns(receivers, 'a', 8);
  await pass(15_000);
  const many = manyTurns(receivers, 'a', 1_000);
  await pass(0);
  expect(Math.max(...putOffOf(many))).toBe(600_000);
  for (const turn of got) leave(turn);
  const [first] = manyTurns(receivers, 'a', 1);
  expect(first).toBeUndefined();
  const again = manyTurns(receivers, 'a', 1);
  await pass(1);
  leave(again[0]!);
  const fast = manyTurns(receivers, 'a', 7);
  await pass(0);
  expect(placesOf(fast)).toBe(7);
});
