import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { windowAt } from '#engine/automations/rules/time-windows.ts';
import { isActiveAt, wallTime } from '#engine/limits/schedule.ts';
import { type WeekSchedule, weekdays } from '#protocol/agent/settings.ts';
import { runs } from '#test/support/faults/seeds.ts';

const week = (day: { enabled: boolean; start: string; end: string }) =>
  Object.fromEntries(weekdays.map((name) => [name, day])) as WeekSchedule;
const nights = week({ enabled: true, start: '22:00', end: '06:00' });
const berlin = 'Europe/Berlin';
const at = (text: string) => Date.parse(text);

describe('time windows', () => {
  it('say whether one may send and until when', () => {
    expect(windowAt(nights, at('2026-11-23T12:34:56+01:00'), berlin)).toEqual({ open: false, changesAt: at('2026-11-23T22:00:00+01:00') });
    expect(windowAt(nights, at('2026-11-23T23:00:00+01:00'), berlin)).toEqual({ open: true, changesAt: at('2026-11-24T06:00:00+01:00') });
  });

  it('never change where they never do', () => {
    expect(windowAt(week({ enabled: true, start: '00:00', end: '00:00' }), 0, 'UTC')).toEqual({ open: true, changesAt: null });
    expect(windowAt(week({ enabled: false, start: '08:00', end: '18:00' }), 0, 'UTC')).toEqual({ open: false, changesAt: null });
  });

  it('join where one period ends as the next begins', () => {
    const joined = { ...week({ enabled: false, start: '00:00', end: '00:00' }), mon: { enabled: true, start: '12:00', end: '00:00' } };
    const schedule = { ...joined, tue: { enabled: true, start: '00:00', end: '06:00' } };
    expect(windowAt(schedule, at('2026-11-23T13:00:00Z'), 'UTC')).toEqual({ open: true, changesAt: at('2026-11-24T06:00:00Z') });
  });

  it('follow the wall clock where it is turned', () => {
    const early = week({ enabled: true, start: '02:30', end: '05:00' });
    // 02:30 does not exist that night.
    expect(windowAt(early, at('2027-03-28T00:00:00+01:00'), berlin)).toEqual({ open: false, changesAt: at('2027-03-28T03:00:00+02:00') });
    expect(windowAt(nights, at('2027-03-28T00:00:00+01:00'), berlin)).toEqual({ open: true, changesAt: at('2027-03-28T06:00:00+02:00') });
    expect(windowAt(nights, at('2027-10-31T00:00:00+02:00'), berlin)).toEqual({ open: true, changesAt: at('2027-10-31T06:00:00+01:00') });
  });

  it('say the first minute at which it changes, as looking at each minute does', () => {
    const time = fc
      .tuple(fc.nat(23), fc.constantFrom(0, 15, 30, 45))
      .map(([h, m]) => `${String(h).padStart(2, '0')}:${String(m).padStart(2, '0')}`);
    const day = fc.record({ enabled: fc.boolean(), start: time, end: time });
    const schedules = fc.record({ mon: day, tue: day, wed: day, thu: day, fri: day, sat: day, sun: day });
    const quarter = 15 * 60_000;
    const someTime = fc.integer({ min: 0, max: 4 * 24 * 40 }).map((quarters) => at('2027-03-20T00:00:00Z') + quarters * quarter);
    fc.assert(
      fc.property(schedules, someTime, (schedule, now) => {
        const { open, changesAt } = windowAt(schedule, now, berlin);
        const active = (moment: number) => isActiveAt(schedule, wallTime(moment, berlin));
        expect(open).toBe(active(now));
        let first: number | null = now + quarter;
        while (first !== null && active(first) === open) first = first < now + 8 * 24 * 4 * quarter ? first + quarter : null;
        // Where clocks are turned, a week may have one change that no other has.
        if (first !== null && changesAt === null) expect(first - now).toBeGreaterThan(0);
        else expect(changesAt).toBe(first);
      }),
      { numRuns: runs(8, 200) },
    );
  });
});
