import { describe, expect, it } from 'vitest';
import {
  foreignAddresses,
  normalDomain,
  requireEnd,
  requireExpiry,
  requirePassword,
  requireRecipient,
  requireRecipients,
  type TeamPolicies,
  verification,
} from '#service/teams/policies.ts';

const free: TeamPolicies = {
  password_required: false,
  public_links_allowed: true,
  recipient_domains: [],
  max_expiry_days: 0,
  verify_recipient_required: false,
};
const day = (text: string) => new Date(`${text}T12:00:00.000Z`);

describe('the allowed domains of recipients', () => {
  it.each([
    ['Example.COM', 'example.com'],
    ['@example.com', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['example', null],
    ['a b.example', null],
    ['exa mple.com/x', null],
    ['', null],
  ])('reads %j as %j', (text, domain) => expect(normalDomain(text)).toBe(domain));

  it('compares the whole domain, regardless of case and script', () => {
    const team = { recipient_domains: ['example.com', 'xn--bcher-kva.example'] };
    const right = ['a@example.com', 'a@EXAMPLE.com', 'a@bücher.example'];
    const wrong = ['a@sub.example.com', 'a@example.com.evil.test', 'example.com@evil.test', 'a@notexample.com'];
    expect(foreignAddresses(team, [...right, ...wrong])).toEqual(wrong);
    expect(foreignAddresses(free, wrong)).toEqual([]);
  });

  it('names the address and the domains in the refusal', () => {
    expect(() => requireRecipients({ ...free, recipient_domains: ['a.test', 'b.test'] }, ['x@c.test'], 'recipients')).toThrow(
      'recipients: this Team sends only to addresses of a.test, b.test, and not to x@c.test.',
    );
  });
});

describe('passwords and public links', () => {
  it('are as each sender likes without a policy', () => {
    expect(() => requirePassword(free, false, 'password')).not.toThrow();
    expect(() => requireRecipient(free, '')).not.toThrow();
  });
  it('are as the Team demands with one', () => {
    const strict = { ...free, password_required: true, public_links_allowed: false };
    expect(() => requirePassword(strict, false, 'password')).toThrow(/^password: /);
    expect(() => requirePassword(strict, true, 'password')).not.toThrow();
    expect(() => requireRecipient(strict, '')).toThrow(/public links/);
    expect(() => requireRecipient(strict, 'a@example.com')).not.toThrow();
  });
});

describe('whether recipients are asked for a mailed code', () => {
  it.each([
    [false, undefined, false, false],
    [false, undefined, true, true],
    [false, false, true, false],
    [false, true, false, true],
    [true, undefined, false, true],
    [true, true, false, true],
  ])('demanded %j, said %j, usual %j: %j', (verify_recipient_required, wanted, usual, asks) => {
    expect(verification({ verify_recipient_required }, wanted, usual)).toBe(asks);
  });
  it('is nothing to be said no to where the Team demands it', () => {
    expect(() => verification({ verify_recipient_required: true }, false, false)).toThrow(/^verify_recipient: /);
  });
});

describe('the longest time that a package is kept', () => {
  const team = { ...free, max_expiry_days: 10 };
  const now = day('2026-11-20');
  const finalized = { finalized_at: day('2026-11-15'), expiry: day('2026-11-22') };

  it.each([
    ['counts from when it was finalized', finalized, day('2026-11-25'), true],
    ['and not from today', finalized, day('2026-11-26'), false],
    ['nor is it for ever', finalized, null, false],
    ['counts from now while it is not finalized', { finalized_at: null, expiry: day('2026-11-22') }, day('2026-11-30'), true],
    ['and no longer', { finalized_at: null, expiry: day('2026-11-22') }, day('2026-12-01'), false],
    ['does not keep one from before from ending earlier', { ...finalized, expiry: day('2027-06-01') }, day('2027-05-01'), true],
    ['but from ending later', { ...finalized, expiry: day('2027-06-01') }, day('2027-06-02'), false],
    ['leaves one for ever as it was', { ...finalized, expiry: null }, null, true],
  ])('%s', (_, row, expiry, allowed) => {
    const ask = () => requireExpiry(team, row, expiry, now);
    if (allowed) expect(ask).not.toThrow();
    else expect(ask).toThrow(/at most 10 days, so this one until 2026-11-/);
    expect(() => requireExpiry(free, row, expiry, now)).not.toThrow();
  });

  it('allows no new package for ever', () => {
    expect(() => requireEnd(team, true)).toThrow(/10 days/);
    expect(() => requireEnd(team, false)).not.toThrow();
    expect(() => requireEnd(free, true)).not.toThrow();
  });
});
