import { limits } from '#protocol/limits.ts';
import type { MailedTokens } from '../accounts/mailed-tokens.ts';

/**
 * The code in a message. It follows from the message's id with the service's secret: each attempt at the message has
 * the same one, and nothing is stored that a reader of the database could try codes against.
 */
export function codeOf(mailedTokens: MailedTokens, messageId: string): string {
  const random = Buffer.from(mailedTokens.of(`link code ${messageId}`), 'base64url').readBigUInt64BE();
  return String(random % 10n ** BigInt(limits.linkCodeDigits)).padStart(limits.linkCodeDigits, '0');
}

/** For people: in two halves. */
export const shownCode = (code: string): string => `${code.slice(0, code.length / 2)} ${code.slice(code.length / 2)}`;
