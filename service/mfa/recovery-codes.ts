import { createHash, randomInt } from 'node:crypto';
import { limits } from '#protocol/limits.ts';

/** 32 letters and digits that are hard to mix up: five bits each. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';

/** A new set: each has 80 random bits in four groups, like `k7qd-3mzx-w9tc-hb2e`. */
export function newRecoveryCodes(): readonly string[] {
  const group = () => Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return Array.from({ length: limits.recoveryCodes }, () => [group(), group(), group(), group()].join('-'));
}

/** A code as it is compared: people type spaces, hyphens and capitals as they like. */
export const normaliseCode = (typed: string): string => typed.replace(/[\s-]/g, '').toLowerCase();

/** The value that is stored and looked up. A plain hash is enough: 80 random bits cannot be guessed. */
export const hashRecoveryCode = (code: string): Buffer => createHash('sha256').update(normaliseCode(code)).digest();
