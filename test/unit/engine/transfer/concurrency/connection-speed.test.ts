import { expect, test } from 'vitest';
import { connectionSpeedOf, createConnectionSpeeds } from '#engine/transfer/concurrency/connection-speed.ts';

const MB = 1_000_000;

test.each([
  ['nothing is known', { seen: null, allowed: 0, connections: 4 }, null],
  ['it was seen', { seen: 3 * MB, allowed: 0, connections: 4 }, 3 * MB],
  ['nothing has moved, and a limit holds', { seen: null, allowed: 6 * MB, connections: 2 }, 3 * MB],
  ['a limit holds that was not there when it was seen', { seen: 50 * MB, allowed: 6 * MB, connections: 2 }, 3 * MB],
  ['the line is slower than the limit', { seen: MB, allowed: 6 * MB, connections: 2 }, MB],
])('what a connection moves where %s', (_, facts, speed) => expect(connectionSpeedOf(facts)).toBe(speed));

test('the next transfer to a service knows what the last one saw; only those of late are remembered', () => {
  const speeds = createConnectionSpeeds();
  speeds.saw('https://a.example', 1);
  speeds.saw('https://a.example', 2);
  expect([speeds.of('https://a.example'), speeds.of('https://b.example')]).toEqual([2, null]);
  for (let other = 0; other < 64; other++) speeds.saw(`https://${other}.example`, other);
  expect([speeds.of('https://a.example'), speeds.of('https://63.example')]).toEqual([null, 63]);
});
