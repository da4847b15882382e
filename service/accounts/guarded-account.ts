import type { GuardedSecret } from '../http/guarded-secret.ts';

/**
 * The limits for wrong passwords of an account, whether or not the account exists. All unknown sources combined have
 * 100 at once and then one each 5 minutes: at most 388 in the first day and 288 in each that follows. One address has
 * 58 and 48 of them, so that five addresses never slow down others; six that never rest do (docs/decisions/0041).
 */
export const guardedAccount = (email: string): GuardedSecret => ({
  kind: 'account',
  name: email.toLowerCase(),
  unknownSources: { burstFactor: 10, drainFactor: 6 },
  maxKnownSources: 32,
});
