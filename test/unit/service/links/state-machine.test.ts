import { describe, expect, it } from 'vitest';
import { effectiveExpiry, isActive, type LinkFacts, linkStatus } from '#service/links/state-machine.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const before = new Date(now.getTime() - 1);
const after = new Date(now.getTime() + 1);
const open: LinkFacts = { disabledAt: null, linkExpiry: null, packageState: 'finalized', packageExpiry: null, virusPolicy: null };

describe('a link gives access', () => {
  it.each<[string, Partial<LinkFacts>]>([
    ['without any expiry', {}],
    ['with a virus that is only told of, or blocked by itself', { virusPolicy: 'warn' }],
    ['before its own', { linkExpiry: after }],
    ["before its package's", { packageExpiry: after }],
  ])('%s', (_, facts) => {
    expect(linkStatus({ ...open, ...facts }, now)).toEqual({ open: true });
  });
});

describe('a link gives no access', () => {
  it.each<[string, Partial<LinkFacts>, string]>([
    ['of a package in quarantine', { virusPolicy: 'quarantine' }, 'package_quarantined'],
    ['disabled', { disabledAt: before }, 'link_inactive'],
    ['disabled, of an expired package', { disabledAt: before, packageState: 'expired' }, 'link_inactive'],
    ['while its package is new', { packageState: 'new' }, 'state_conflict'],
    ['of an expired package', { packageState: 'expired' }, 'package_expired'],
    ['of an archived package', { packageState: 'archived' }, 'package_expired'],
    ['of a package whose time has come', { packageExpiry: now }, 'package_expired'],
    ['after its own expiry', { linkExpiry: now }, 'link_expired'],
    ['after both expiries', { linkExpiry: before, packageExpiry: before }, 'package_expired'],
  ])('%s', (_, facts, error) => {
    expect(linkStatus({ ...open, ...facts }, now)).toMatchObject({ open: false, error });
  });
});

it('expires with itself or with its package, whichever is first', () => {
  expect(effectiveExpiry({ linkExpiry: null, packageExpiry: null })).toBeNull();
  expect(effectiveExpiry({ linkExpiry: before, packageExpiry: null })).toBe(before);
  expect(effectiveExpiry({ linkExpiry: null, packageExpiry: after })).toBe(after);
  expect(effectiveExpiry({ linkExpiry: before, packageExpiry: after })).toBe(before);
  expect(effectiveExpiry({ linkExpiry: after, packageExpiry: before })).toBe(before);
});

it('is called active while its package is finalized and nobody has disabled it', () => {
  expect(isActive(open)).toBe(true);
  expect(isActive({ ...open, disabledAt: before })).toBe(false);
  for (const packageState of ['new', 'expired', 'archived'] as const) expect(isActive({ ...open, packageState })).toBe(false);
});
