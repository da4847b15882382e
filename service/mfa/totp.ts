import { Secret, TOTP } from 'otpauth';
import { limits } from '#protocol/limits.ts';

/**
 * Codes of authenticator apps by RFC 6238. SHA-1, six digits and 30 s are what all apps can; some ignore other values.
 */
const settings = { algorithm: 'SHA1', digits: 6, period: limits.totpStepSeconds } as const;

/** A new secret of 160 bits, in Base32. */
export const newTotpSecret = (): string => new Secret({ size: 20 }).base32;

/** The address that an app reads from a QR code. `issuer` is the service's host. */
export const totpUri = (secret: string, account: { readonly issuer: string; readonly email: string }): string =>
  new TOTP({ ...settings, secret, issuer: `Longshore ${account.issuer}`, label: account.email }).toString();

/** The code that an app shows at a time. */
export const totpCode = (secret: string, at: Date): string => new TOTP({ ...settings, secret }).generate({ timestamp: at.getTime() });

/**
 * The time step that a code belongs to, counted from 1970; null for a wrong one. The steps before and after the present one
 * are accepted, too, since clocks differ and people type (RFC 6238 §5.2).
 */
export function totpStep(secret: string, code: string, at: Date): number | null {
  // The library throws for texts of other lengths in bytes.
  if (!/^[0-9]{6}$/.test(code)) return null;
  const delta = new TOTP({ ...settings, secret }).validate({ token: code, timestamp: at.getTime(), window: 1 });
  return delta === null ? null : Math.floor(at.getTime() / 1_000 / settings.period) + delta;
}
