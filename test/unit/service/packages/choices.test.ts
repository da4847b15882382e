import { describe, expect, it } from 'vitest';
import { ApiError } from '#protocol/errors.ts';
import { distinctRecipients } from '#service/packages/create.ts';
import { endOf, startOf } from '#service/packages/day-range.ts';
import { defaultExpiry } from '#service/packages/expiry.ts';

describe('recipients', () => {
  it('are each kept once, as first written and in the order given', () => {
    expect(distinctRecipients(['B@x.org', 'a@x.org', 'b@X.org', 'A@x.org', 'c@x.org'])).toEqual(['B@x.org', 'a@x.org', 'c@x.org']);
    expect(distinctRecipients([])).toEqual([]);
  });
});

describe('the usual time that a package is kept', () => {
  const from = new Date('2026-11-20T12:00:00.000Z');
  it.each([
    ["the Team's own", true, 3, '2026-11-23T12:00:00.000Z'],
    ['ten days, where the Team has none of its own', false, 3, '2026-11-30T12:00:00.000Z'],
    ['as good as none', true, 0, '2026-11-20T12:00:00.000Z'],
  ])('is %s', (_, custom_expiry_enabled, custom_expiry_default, expected) => {
    expect(defaultExpiry({ custom_expiry_enabled, custom_expiry_default }, from)?.toISOString()).toBe(expected);
  });
  it('has no end where the Team says -1', () => {
    expect(defaultExpiry({ custom_expiry_enabled: true, custom_expiry_default: -1 }, from)).toBeNull();
  });
});

describe('a range of days or moments', () => {
  it.each([
    [startOf, '2026-11-20', '>=', '2026-11-20T00:00:00.000Z'],
    [endOf, '2026-11-20', '<', '2026-11-21T00:00:00.000Z'],
    [startOf, '2026-11-20T10:00:00+02:00', '>=', '2026-11-20T08:00:00.000Z'],
    [endOf, '2026-11-20T10:00:00Z', '<=', '2026-11-20T10:00:00.000Z'],
  ])('%o of %s', (bound, text, op, at) => {
    expect(bound(text, 'created_at_end')).toEqual({ op, at: new Date(at) });
  });
  it('refuses a moment that does not exist, naming the parameter', () => {
    expect(() => endOf('2016-12-31T23:59:60Z', 'created_at_end')).toThrow(ApiError);
    expect(() => endOf('2016-12-31T23:59:60Z', 'created_at_end')).toThrow(/^created_at_end: /);
  });
});
