import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '#protocol/errors.ts';
import type { UpdatePortal } from '#protocol/hosted/portals.ts';
import { applySettings, defaultSettings, hiddenPassword, type PasswordChange } from '#service/portals/settings.ts';

const before = { ...defaultSettings, name: 'Dailies', subdomain: 'northlight' };

describe("a Portal's access code", () => {
  it.each<[string, UpdatePortal, string]>([
    ['', {}, ''],
    ['', { access_code: 'new' }, 'new'],
    ['', { has_access_code: true, access_code: 'new' }, 'new'],
    ['', { has_access_code: false, access_code: 'new' }, ''],
    ['', { access_code: '' }, ''],
    ['old', {}, 'old'],
    ['old', { has_access_code: true }, 'old'],
    ['old', { access_code: 'new' }, 'new'],
    ['old', { has_access_code: false }, ''],
    ['old', { access_code: '' }, ''],
    ['old', { has_access_code: false, access_code: 'old' }, ''],
  ])('%j and %j: %j', (old, sent, now) => {
    const { settings } = applySettings({ ...before, has_access_code: old !== '', access_code: old }, sent);
    expect(settings).toMatchObject({ has_access_code: now !== '', access_code: now });
  });

  it.each<[string, UpdatePortal]>([
    ['', { has_access_code: true }],
    ['old', { has_access_code: true, access_code: '' }],
  ])('%j and %j: refused', (old, sent) => {
    expect(() => applySettings({ ...before, has_access_code: old !== '', access_code: old }, sent)).toThrow(/^access_code: /);
  });
});

describe("a Portal's download password", () => {
  const [keep, none, set] = [{ kind: 'keep' }, { kind: 'none' }, { kind: 'set', password: 'new' }] as const;
  it.each<[boolean, UpdatePortal, PasswordChange]>([
    [false, {}, none],
    [false, { download_password: '' }, none],
    [false, { download_password: hiddenPassword }, none],
    [false, { download_password: 'new' }, set],
    [false, { has_download_password: true, download_password: 'new' }, set],
    [false, { has_download_password: false, download_password: 'new' }, none],
    [true, {}, keep],
    [true, { download_password: hiddenPassword }, keep],
    [true, { has_download_password: true, download_password: hiddenPassword }, keep],
    [true, { has_download_password: true }, keep],
    [true, { download_password: 'new' }, set],
    [true, { download_password: '' }, none],
    [true, { has_download_password: false, download_password: hiddenPassword }, none],
  ])('there %s, and %j: %j', (had, sent, change) => {
    const { settings, password } = applySettings({ ...before, has_download_password: had }, sent);
    expect(password).toEqual(change);
    expect(settings.has_download_password).toBe(change.kind === 'set' || (change.kind === 'keep' && had));
  });

  it.each<[boolean, UpdatePortal]>([
    [false, { has_download_password: true }],
    [false, { has_download_password: true, download_password: hiddenPassword }],
    [true, { has_download_password: true, download_password: '' }],
  ])('there %s, and %j: refused', (had, sent) => {
    expect(() => applySettings({ ...before, has_download_password: had }, sent)).toThrow(/^download_password: /);
  });
});

it('settings that are sent back as they were read change nothing', () => {
  const flags = fc.record({
    has_access_code: fc.boolean(),
    active: fc.boolean(),
    expiry_enabled: fc.boolean(),
    file_type_restriction_enabled: fc.boolean(),
    package_size_restriction_enabled: fc.boolean(),
  });
  fc.assert(
    fc.property(flags, fc.integer({ min: -1, max: 65_535 }), (set, days) => {
      const first = applySettings(before, {
        ...set,
        access_code: 'cards',
        expiry: '2030-01-01T00:00:00.000Z',
        file_types: ['.mov'],
        custom_expiry_days: days,
      }).settings;
      const again = applySettings(first, {
        ...first,
        custom_expiry_days: first.custom_expiry_days ?? 0,
        expiry: first.expiry!.toISOString(),
        max_file_count: 0,
        max_storage: 0,
        max_file_size: 0,
        max_package_size: 0,
      });
      expect(again.settings).toEqual(first);
    }),
  );
});

it('only http and https addresses are allowed', () => {
  for (const address of ['javascript:alert(1)', 'data:text/html,x', 'ftp://example.com', 'example.com', '//example.com', ' ', 'http://']) {
    for (const field of ['logo_url', 'background_url'] as const) {
      expect(() => applySettings(before, { [field]: address }), address).toThrow(ApiError);
    }
  }
  expect(applySettings(before, { logo_url: 'HTTPS://example.com/a.png' }).settings.logo_url).toBe('HTTPS://example.com/a.png');
});
