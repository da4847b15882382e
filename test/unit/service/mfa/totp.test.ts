import { describe, expect, it } from 'vitest';
import { newTotpSecret, totpCode, totpStep, totpUri } from '#service/mfa/totp.ts';

/** The secret of RFC 6238, appendix B: 12345678901234567890 in ASCII. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const at = (seconds: number) => new Date(seconds * 1_000);

describe('codes of authenticator apps', () => {
  it.each([
    // The last six digits of the values of RFC 6238, appendix B.
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('are those of RFC 6238 at %i s', (seconds, code) => {
    expect(totpCode(secret, at(seconds))).toBe(code);
    expect(totpStep(secret, code, at(seconds))).toBe(Math.floor(seconds / 30));
  });

  it('are accepted one step before and after theirs, as the step that they belong to', () => {
    const code = totpCode(secret, at(3_000));
    const steps = [2_940, 2_969, 2_970, 2_999, 3_000, 3_029, 3_030, 3_059, 3_060].map((now) => totpStep(secret, code, at(now)));
    expect(steps).toEqual([null, null, 100, 100, 100, 100, 100, 100, null]);
  });

  it('are refused in any other form', () => {
    for (const code of ['', '28708', '2870820', 'abcdef', '287082\n', '٢٨٧٠٨٢']) expect(totpStep(secret, code, at(59)), code).toBeNull();
  });

  it('come from a secret of 160 bits, which an app reads from its address', () => {
    const fresh = newTotpSecret();
    expect(fresh).toMatch(/^[A-Z2-7]{32}$/);
    expect(newTotpSecret()).not.toBe(fresh);
    const uri = new URL(totpUri(fresh, { issuer: 'share.example.com:8443', email: 'mia+x@example.com' }));
    expect(uri.protocol).toBe('otpauth:');
    expect(decodeURIComponent(uri.pathname)).toContain('Longshore share.example.com:8443:mia+x@example.com');
    expect(Object.fromEntries(uri.searchParams)).toMatchObject({ secret: fresh, algorithm: 'SHA1', digits: '6', period: '30' });
  });
});
