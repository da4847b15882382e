import { expect, it } from 'vitest';
import { downloadExpiry } from '#service/files/download-expiry.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const hour = 3600_000;
const day = 24 * hour;
const inTime = (milliseconds: number) => new Date(now.getTime() + milliseconds);

it.each([
  ['an hour, if nothing is asked', null, null, hour],
  ['what is asked', 2 * day, null, 2 * day],
  ['at most 7 days', 8 * day, null, 7 * day],
  ["at most the link's end", 2 * day, day, day],
  ["at most the link's end, if nothing is asked", null, 60_000, 60_000],
  ['at most 7 days of a longer link', 30 * day, 20 * day, 7 * day],
])('an address stands for %s', (_, asked, linkEnd, expected) => {
  const result = downloadExpiry(asked === null ? null : inTime(asked), linkEnd === null ? null : inTime(linkEnd), now);
  expect(result).toEqual(inTime(expected));
});

it('an address that would be over already is none', () => {
  expect(downloadExpiry(now, null, now)).toBeNull();
  expect(downloadExpiry(inTime(-1), null, now)).toBeNull();
});
