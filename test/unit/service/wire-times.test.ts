import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '#protocol/errors.ts';
import { defaultExpiry, downloadExpiry, formatDateTime, parseDateTime, parseRangeEnd, parseRangeStart } from '#service/wire-times.ts';

describe('a date-time on the wire', () => {
  it('is written as JavaScript does, for any time', () => {
    const near = fc.date({ noInvalidDate: true, min: new Date('0990-01-01'), max: new Date('+010010-01-01T00:00:00.000Z') });
    fc.assert(
      fc.property(fc.oneof(near, fc.date({ noInvalidDate: true })), (at) => {
        expect(formatDateTime(at)).toBe(at.toISOString());
      }),
    );
  });

  it('is the zero date-time where there is none, which is read as none', () => {
    expect(formatDateTime(null)).toBe('0001-01-01T00:00:00.000Z');
    expect(parseDateTime(formatDateTime(null), 'expiry')).toBeNull();
  });

  it('is refused for an invalid date', () => {
    expect(() => formatDateTime(new Date(Number.NaN))).toThrow(RangeError);
  });

  it('is read in every allowed form, and null when it is left out', () => {
    expect(parseDateTime('0001-01-01T00:00:00.000Z', 'expiry')).toBeNull();
    expect(parseDateTime(undefined, 'expiry')).toBeNull();
    expect(formatDateTime(parseDateTime('2026-11-20T18:04:11+02:00', 'expiry'))).toBe('2026-11-20T16:04:11.000Z');
    expect(() => parseDateTime('2016-12-31T23:59:60Z', 'expiry')).toThrow(/^expiry: /);
  });
});

describe('the default time that a package is kept', () => {
  const from = new Date('2026-11-20T12:00:00.000Z');
  it.each([
    ["the Team's own", true, 3, '2026-11-23T12:00:00.000Z'],
    ['ten days, where the Team has none of its own', false, 3, '2026-11-30T12:00:00.000Z'],
    ['as good as none', true, 0, '2026-11-20T12:00:00.000Z'],
  ])('is %s', (_, custom_expiry_enabled, custom_expiry_default, expected) => {
    expect(defaultExpiry({ custom_expiry_enabled, custom_expiry_default, max_expiry_days: 0 }, from)?.toISOString()).toBe(expected);
  });
  it.each([
    ['cut to the longest that the Team allows', 30, undefined, 5, '2026-11-25T12:00:00.000Z'],
    ['cut where it is for ever', -1, undefined, 5, '2026-11-25T12:00:00.000Z'],
    ["cut where it is a Portal's", 3, 30, 5, '2026-11-25T12:00:00.000Z'],
    ["cut where it is a Portal's for ever", 3, -1, 5, '2026-11-25T12:00:00.000Z'],
    ['left as it is where it is shorter', 3, 2, 5, '2026-11-22T12:00:00.000Z'],
  ])('is %s', (_, custom_expiry_default, custom_expiry_days, max_expiry_days, expected) => {
    const team = { custom_expiry_enabled: true, custom_expiry_default, max_expiry_days };
    expect(defaultExpiry({ ...team, ...(custom_expiry_days !== undefined && { custom_expiry_days }) }, from)?.toISOString()).toBe(expected);
  });
  it('is unlimited where the Team has -1', () => {
    expect(defaultExpiry({ custom_expiry_enabled: true, custom_expiry_default: -1, max_expiry_days: 0 }, from)).toBeNull();
  });
});

describe('a range of days or times', () => {
  it.each([
    [parseRangeStart, '2026-11-20', '>=', '2026-11-20T00:00:00.000Z'],
    [parseRangeEnd, '2026-11-20', '<', '2026-11-21T00:00:00.000Z'],
    [parseRangeStart, '2026-11-20T10:00:00+02:00', '>=', '2026-11-20T08:00:00.000Z'],
    [parseRangeEnd, '2026-11-20T10:00:00Z', '<=', '2026-11-20T10:00:00.000Z'],
  ])('%o of %s', (bound, text, op, at) => {
    expect(bound(text, 'created_at_end')).toEqual({ op, at: new Date(at) });
  });
  it('refuses a time that does not exist, and names the parameter', () => {
    expect(() => parseRangeEnd('2016-12-31T23:59:60Z', 'created_at_end')).toThrow(ApiError);
    expect(() => parseRangeEnd('2016-12-31T23:59:60Z', 'created_at_end')).toThrow(/^created_at_end: /);
  });
});

describe('a download URL', () => {
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
  ])('is valid for %s', (_, asked, linkEnd, expected) => {
    const result = downloadExpiry(asked === null ? null : inTime(asked), linkEnd === null ? null : inTime(linkEnd), now);
    expect(result).toEqual(inTime(expected));
  });

  it('is not made where it would have expired already', () => {
    expect(downloadExpiry(now, null, now)).toBeNull();
    expect(downloadExpiry(inTime(-1), null, now)).toBeNull();
  });
});
