import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Places, Receivers, type Turn } from '#service/webhooks/receivers.ts';

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
const places: Places = { fast: 8, slow: 4, silent: 1, unknown: 1, allSlow: 128, allNotFast: 192 };
const onFakeTime = () => new Receivers(places, () => Date.now());

/** That it has answered one request at once. */
async function answersAtOnce(receivers: Receivers, id: string): Promise<void> {
  leave(await receivers.turn(id));
}

test('a receiver that answers has so many places, and whoever waits has the next that is left', async () => {
  const receivers = onFakeTime();
  await answersAtOnce(receivers, 'a');
  const got = manyTurns(receivers, 'a', 12);
  await pass(0);
  expect([placesOf(got), putOffOf(got)]).toEqual([8, []]);
  leave(got[0]!);
  await pass(0);
  expect(placesOf(got)).toBe(9);
  await answersAtOnce(receivers, 'b');
  const other = manyTurns(receivers, 'b', 8);
  await pass(0);
  expect(placesOf(other)).toBe(8);
});

test('one of which nothing is known yet has one place until its first answer, and then all that it is owed', async () => {
  const receivers = onFakeTime();
  const got = manyTurns(receivers, 'a', 12);
  await pass(0);
  expect([placesOf(got), putOffOf(got)]).toEqual([1, []]);
  leave(got[0]!);
  await pass(0);
  expect(placesOf(got)).toBe(1 + 8);
});

test('what waits for one that does not answer is put off, to when it comes to it at that speed; nobody waits for it again', async () => {
  const receivers = onFakeTime();
  await answersAtOnce(receivers, 'a');
  const got = manyTurns(receivers, 'a', 12);
  await pass(1_000);
  // Nothing is known yet but that it takes a second, of eight places.
  expect([placesOf(got), putOffOf(got)]).toEqual([8, [1_125, 1_250, 1_375, 1_500]]);
  await pass(4_000);
  const later = manyTurns(receivers, 'a', 2);
  await pass(0);
  expect([placesOf(later), putOffOf(later)]).toEqual([0, [2_250, 3_500]]);
  for (const turn of got.slice(0, 8)) leave(turn);
  // A slow one has half of the places.
  const slow = manyTurns(receivers, 'a', 8);
  await pass(0);
  expect(placesOf(slow)).toBe(4);
  // One that then answers nothing for longer has one.
  await pass(1_000);
  for (const turn of slow.slice(0, 4)) leave(turn);
  const longer = manyTurns(receivers, 'a', 4);
  await pass(6_000);
  for (const turn of longer.filter((one) => 'leave' in one)) leave(turn);
  const silent = manyTurns(receivers, 'a', 8);
  await pass(0);
  expect(placesOf(silent)).toBe(1);
});

test('is fast again once it answers fast, and no delivery is put off for longer than ten minutes', async () => {
  const receivers = onFakeTime();
  const got = manyTurns(receivers, 'a', 8);
  await pass(15_000);
  const many = manyTurns(receivers, 'a', 1_000);
  await pass(0);
  expect(Math.max(...putOffOf(many))).toBe(600_000);
  for (const turn of got.filter((one) => 'leave' in one)) leave(turn);
  const again = manyTurns(receivers, 'a', 1);
  await pass(1);
  leave(again[0]!);
  const fast = manyTurns(receivers, 'a', 8);
  await pass(0);
  expect(placesOf(fast)).toBe(8);
});

/** Has each of so many receivers told of 8 events, of which none is answered, and gives how many requests are then under way. */
async function silentOnes(receivers: Receivers, count: number): Promise<number> {
  const all = Array.from({ length: count }, (_, n) => manyTurns(receivers, `silent ${n}`, 8));
  await pass(0);
  return all.reduce((sum, one) => sum + placesOf(one), 0);
}

test('many that answer nobody hold no more than a part of all places, also before that is known of them', async () => {
  const receivers = onFakeTime();
  await answersAtOnce(receivers, 'fast');
  expect(await silentOnes(receivers, 1_000)).toBe(192);
  // Known to be slow now, they have half.
  await pass(20_000);
  const fast = manyTurns(receivers, 'fast', 64);
  await pass(0);
  expect(placesOf(fast)).toBe(8);
});

test('what is left for one of which nothing is known is not taken by those that are slow', async () => {
  const receivers = onFakeTime();
  const held: Turn[] = [];
  for (let n = 0; n < 150; n++) held.push(await receivers.turn(`silent ${n}`));
  await pass(15_000);
  for (const turn of held) leave(turn);
  const again: Turn[] = [];
  for (let n = 0; n < 150; n++) again.push(await receivers.turn(`silent ${n}`));
  expect([placesOf(again), putOffOf(again).length]).toEqual([128, 22]);
  expect(placesOf([await receivers.turn('new')])).toBe(1);
});
