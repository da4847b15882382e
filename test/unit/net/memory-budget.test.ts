import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MemoryBudget, type MemoryReservation, type Owners } from '#net/memory-budget.ts';
import { slowPeer, ThroughputMeter } from '#net/throughput-meter.ts';

const kibi = 1024;
const halfMinute = slowPeer.milliseconds;

let now: number;
beforeEach(() => {
  now = 1_000;
});

function setUp(bytes = 100 * kibi) {
  const cut: string[] = [];
  const memory = new MemoryBudget({ bytes, shares: { address: 1 / 2, package: 1 / 2, upload: 1 / 4 }, now: () => now });
  const reservation = (name: string, owners: Owners = {}): MemoryReservation => memory.reserve(owners, () => cut.push(name));
  return { memory, reservation, cut };
}

/** Lets time pass, in which each of them moves so many bytes a second. */
function pass(milliseconds: number, ...moving: readonly (readonly [MemoryReservation, number])[]): void {
  for (let at = 0; at < milliseconds; at += 1_000) {
    now += 1_000;
    for (const [reservation, bytes] of moving) reservation.moved(bytes);
  }
}

describe('shared memory', () => {
  test('is reserved on demand, up to the limit', () => {
    const { memory, reservation } = setUp();
    const [one, other] = [reservation('one'), reservation('other')];
    expect([one.take(60 * kibi), other.take(50 * kibi), other.take(40 * kibi)]).toEqual([true, false, true]);
    one.give(20 * kibi);
    expect(other.take(20 * kibi)).toBe(true);
    other.end();
    expect(memory.used).toBe(40 * kibi);
    // Its end is its end.
    expect([other.take(1), other.takeAnyway(1), memory.used]).toEqual([false, false, 40 * kibi]);
  });

  test.each([
    ['address', 50],
    ['package', 50],
    ['upload', 25],
  ] as const)('is not all had by one %s', (kind, share) => {
    const { reservation, cut } = setUp();
    const owners = { [kind]: 'x' };
    const [one, two, else_] = [reservation('one', owners), reservation('two', owners), reservation('else', { [kind]: 'y' })];
    expect(one.take((share - 5) * kibi)).toBe(true);
    expect([two.take(6 * kibi), two.take(5 * kibi), else_.take(share * kibi)]).toEqual([false, true, true]);
    one.end();
    expect(two.take((share - 5) * kibi)).toBe(true);
    expect(cut).toEqual([]);
  });

  test('is taken from the slowest first, and from no more peers than necessary', () => {
    const { reservation, cut } = setUp();
    const slow = reservation('slow');
    const slower = reservation('slower');
    const quick = reservation('quick');
    for (const one of [slow, slower, quick]) one.take(30 * kibi);
    pass(halfMinute, [slow, 10 * kibi], [slower, kibi], [quick, 65 * kibi]);
    const newcomer = reservation('newcomer');
    expect(newcomer.take(20 * kibi)).toBe(true);
    expect(cut).toEqual(['slower']);
    expect(newcomer.take(50 * kibi)).toBe(true);
    expect(cut).toEqual(['slower', 'slow']);
    expect(newcomer.take(10 * kibi)).toBe(false);
    expect([cut.length, slower.reserved, quick.reserved]).toEqual([2, 0, 30 * kibi]);
  });

  test('is not taken from new peers, nor from peers without any, nor while there is enough', () => {
    const { reservation, cut } = setUp();
    const none = reservation('none');
    pass(halfMinute);
    const young = reservation('young');
    young.take(90 * kibi);
    pass(halfMinute - 1_000);
    const newcomer = reservation('newcomer');
    expect([newcomer.take(5 * kibi), newcomer.take(20 * kibi)]).toEqual([true, false]);
    pass(1_000);
    expect([newcomer.take(20 * kibi), cut, none.isEnded]).toEqual([true, ['young'], false]);
  });

  test('of an address at its share is taken from its own slow peers', () => {
    const { reservation, cut } = setUp();
    const elsewhere = reservation('elsewhere', { address: 'b' });
    elsewhere.take(40 * kibi);
    const slow = reservation('slow', { address: 'a' });
    slow.take(45 * kibi);
    pass(halfMinute, [slow, kibi]);
    expect(reservation('quick', { address: 'a' }).take(10 * kibi)).toBe(true);
    expect(cut).toEqual(['slow']);
  });
});

describe('a peer that waits for memory', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setImmediate'] }));
  afterEach(() => void vi.useRealTimers());

  test('gets it in order of arrival when others release it, and peers at their share do not block the others', () => {
    const { reservation } = setUp();
    const holder = reservation('holder', { upload: 'u' });
    holder.take(25 * kibi);
    const rest = reservation('rest');
    rest.take(75 * kibi);
    const served: string[] = [];
    reservation('of the upload', { upload: 'u' }).wait(10 * kibi, () => served.push('of the upload'));
    reservation('first').wait(10 * kibi, () => served.push('first'));
    reservation('second').wait(10 * kibi, () => served.push('second'));
    rest.give(15 * kibi);
    expect(served).toEqual([]);
    vi.advanceTimersByTime(0);
    expect(served).toEqual(['first']);
    rest.give(10 * kibi);
    vi.advanceTimersByTime(0);
    expect(served).toEqual(['first', 'second']);
    holder.give(10 * kibi);
    vi.advanceTimersByTime(0);
    expect(served).toEqual(['first', 'second', 'of the upload']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('gets that of peers that become slow meanwhile, and does not itself count as slow', () => {
    const { reservation, cut } = setUp();
    const slow = reservation('slow');
    slow.take(60 * kibi);
    const patient = reservation('patient');
    patient.take(40 * kibi);
    let served = 0;
    patient.wait(30 * kibi, () => served++);
    vi.advanceTimersByTime(5_000);
    expect([served, cut]).toEqual([0, []]);
    pass(halfMinute);
    vi.advanceTimersByTime(1_000);
    expect([served, cut, patient.reserved]).toEqual([1, ['slow'], 70 * kibi]);
    // From now on it counts again, from the beginning.
    expect(patient.rate(now + halfMinute - 1)).toBe(null);
    expect(patient.rate(now + halfMinute)).toBe(0);
  });

  test('and disconnects is not served', () => {
    const { reservation, memory } = setUp();
    const holder = reservation('holder');
    holder.take(100 * kibi);
    const gone = reservation('gone');
    gone.wait(kibi, () => expect.unreachable());
    gone.end();
    holder.end();
    vi.advanceTimersByTime(0);
    vi.advanceTimersByTime(2_000);
    expect([memory.used, vi.getTimerCount()]).toEqual([0, 0]);
  });
});

test('throughput is that of the last 30 to 60 s, not of all time', () => {
  const pace = new ThroughputMeter(0);
  for (let second = 1; second <= 60; second++) pace.moved(kibi * kibi, second * 1_000);
  expect(pace.rate(60_000)).toBe(kibi * kibi);
  pace.moved(30 * kibi, 75_000);
  expect(pace.rate(89_999)).toBeGreaterThan(slowPeer.bytesPerSecond);
  expect(pace.rate(90_000)).toBe(kibi);
  expect(pace.rate(120_000)).toBe(0);
});
