import { randomInt } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';

/**
 * Passwords under argon2id, on the thread pool (never blocking the event loop). The parameters are OWASP's:
 * 19 MiB, two passes, one lane.
 */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

export function hashPassword(password: string): Promise<string> {
  return hash(password, cost);
}

/** A hash of no account's password: compared with for unknown accounts, so that the comparison takes the same time. */
const nobody = '$argon2id$v=19$m=19456,t=2,p=1$ZmlsbGVkLXdpdGgtbm9uZQ$Vzkzz2nNdxmiO5IUD4sbPvBcXlvs9HtP6GTb2JPuJNw';

/** Whether a password matches the hash. Without a hash (an unknown account): false, after the same time. */
export async function passwordMatches(stored: string | undefined, password: string): Promise<boolean> {
  const matches = await verify(stored ?? nobody, password);
  return stored !== undefined && matches;
}

/** 24 letters and digits that are hard to mix up, in groups: 119 bits. */
export function generatePassword(): string {
  const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';
  const group = () => Array.from({ length: 6 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return [group(), group(), group(), group()].join('-');
}
