import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isActiveAt, limitAt, wallTime } from '#engine/limits/schedule.ts';
import type { RateLimit } from '#protocol/agent/settings.ts';
import { weekdays } from '#protocol/agent/settings.ts';
import { runs } from '#test/support/faults/seeds.ts';

const off = { enabled: false, start: '00:00', end: '00:00' };
const none: RateLimit['schedule'] = { mon: off, tue: off, wed: off, thu: off, fri: off, sat: off, sun: off };
const at = (day: (typeof weekdays)[number], time: string) => ({
  day: weekdays.indexOf(day),
  minute: Number(time.slice(0, 2)) * 60 + Number(time.slice(3)),
});
const setting = (schedule: RateLimit['schedule'], more: Partial<RateLimit> = {}): RateLimit => ({
  enabled: true,
  rate_limit_bps: 1_000,
  schedule_enabled: true,
  schedule,
  ...more,
});

test.each([
  ['its first minute', '08:00', '18:00', at('mon', '08:00'), true],
  ['the minute before', '08:00', '18:00', at('mon', '07:59'), false],
  ['its last minute', '08:00', '18:00', at('mon', '17:59'), true],
  ['the end itself', '08:00', '18:00', at('mon', '18:00'), false],
  ['another day', '08:00', '18:00', at('tue', '12:00'), false],
  ['the evening of one across midnight', '22:00', '06:00', at('mon', '23:59'), true],
  ['its night', '22:00', '06:00', at('tue', '00:00'), true],
  ['its last minute, the next day', '22:00', '06:00', at('tue', '05:59'), true],
  ['its end, the next day', '22:00', '06:00', at('tue', '06:00'), false],
  ['the same hours of the night before', '22:00', '06:00', at('mon', '03:00'), false],
  ['a whole day, its first minute', '00:00', '00:00', at('mon', '00:00'), true],
  ['a whole day, its last minute', '00:00', '00:00', at('mon', '23:59'), true],
  ['a whole day, the next', '00:00', '00:00', at('tue', '00:00'), false],
  ['24 hours from noon', '12:00', '12:00', at('tue', '11:59'), true],
  ['24 hours from noon, over', '12:00', '12:00', at('tue', '12:00'), false],
])('on Monday, %s', (_, start, end, moment, holds) => {
  expect(isActiveAt({ ...none, mon: { enabled: true, start, end } }, moment)).toBe(holds);
});

test('Sunday runs into Monday', () => {
  const schedule = { ...none, sun: { enabled: true, start: '20:00', end: '07:00' } };
  expect([at('sun', '20:00'), at('mon', '06:59'), at('mon', '07:00')].map((moment) => isActiveAt(schedule, moment))).toEqual([
    true,
    true,
    false,
  ]);
});

test('in a week it holds for as many minutes as its days have, where no two overlap', () => {
  const time = fc.integer({ min: 0, max: 1_439 });
  const text = (minute: number): string => `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
  fc.assert(
    fc.property(time, time, fc.subarray([...weekdays]), (start, end, days) => {
      const schedule = { ...none, ...Object.fromEntries(days.map((day) => [day, { enabled: true, start: text(start), end: text(end) }])) };
      let minutes = 0;
      for (let day = 0; day < 7; day++) for (let minute = 0; minute < 1_440; minute++) if (isActiveAt(schedule, { day, minute })) minutes++;
      expect(minutes).toBe(days.length * (end > start ? end - start : end - start + 1_440));
    }),
    { numRuns: runs(20, 1_000) },
  );
});

test('the wall clock of a zone, whatever its offset', () => {
  const friday = Date.UTC(2026, 10, 20, 18, 30);
  expect(wallTime(friday, 'UTC')).toEqual(at('fri', '18:30'));
  expect(wallTime(friday, 'Asia/Kathmandu')).toEqual(at('sat', '00:15'));
  expect(wallTime(friday, 'America/St_Johns')).toEqual(at('fri', '15:00'));
  const local = new Date(friday);
  expect(wallTime(friday)).toEqual({ day: (local.getDay() + 6) % 7, minute: local.getHours() * 60 + local.getMinutes() });
});

/** For how many real minutes of a day, from a UTC time on, the limit holds. Looks at each `step`th of them. */
function minutesHeld(schedule: RateLimit['schedule'], from: number, hours: number, zone: string, step = 1): number {
  let minutes = 0;
  for (let now = from; now < from + hours * 3_600_000; now += step * 60_000) {
    if (limitAt(setting(schedule), now, zone).bytesPerSecond > 0) minutes += step;
  }
  return minutes;
}

test('where the clock is put forward an hour is missing, where it is put back it comes twice; the wall clock decides', () => {
  const nights = { ...none, sat: { enabled: true, start: '22:00', end: '06:00' } };
  // Berlin: on 29 March 2026 02:00 becomes 03:00; on 25 October 2026 03:00 becomes 02:00.
  expect(minutesHeld(nights, Date.UTC(2026, 2, 28, 12), 24, 'Europe/Berlin', 5)).toBe(7 * 60);
  expect(minutesHeld(nights, Date.UTC(2026, 9, 24, 12), 24, 'Europe/Berlin', 5)).toBe(9 * 60);
  expect(minutesHeld(nights, Date.UTC(2026, 5, 6, 12), 24, 'Europe/Berlin', 5)).toBe(8 * 60);
  const missing = { ...none, sun: { enabled: true, start: '02:15', end: '02:45' } };
  expect(minutesHeld(missing, Date.UTC(2026, 2, 28, 12), 24, 'Europe/Berlin', 5)).toBe(0);
  expect(minutesHeld(missing, Date.UTC(2026, 9, 24, 12), 24, 'Europe/Berlin', 5)).toBe(60);
  const office = { ...none, sun: { enabled: true, start: '08:00', end: '18:00' } };
  expect(limitAt(setting(office), Date.UTC(2026, 2, 29, 6, 0), 'Europe/Berlin').bytesPerSecond).toBe(1_000);
  expect(limitAt(setting(office), Date.UTC(2026, 2, 29, 5, 59), 'Europe/Berlin').bytesPerSecond).toBe(0);
});

test('what a setting means, and until when it need not be looked at again', () => {
  const now = Date.UTC(2026, 10, 20, 18, 30, 12, 345);
  const forever = Number.POSITIVE_INFINITY;
  expect(limitAt(setting(none, { schedule_enabled: false }), now)).toEqual({ bytesPerSecond: 1_000, until: forever });
  expect(limitAt(setting(none, { enabled: false }), now)).toEqual({ bytesPerSecond: 0, until: forever });
  expect(limitAt(setting(none, { rate_limit_bps: 0 }), now)).toEqual({ bytesPerSecond: 0, until: forever });
  expect(limitAt(setting(none), now)).toEqual({ bytesPerSecond: 0, until: Date.UTC(2026, 10, 20, 18, 31) });
});
