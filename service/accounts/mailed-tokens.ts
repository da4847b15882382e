import { createHash, createHmac, hkdfSync } from 'node:crypto';

/**
 * Tokens that are sent by mail and prove access to the mailbox. They are derived from the message's id with the
 * service's secret, so each attempt at a message contains the same token, and the database stores only hashes.
 */
export interface MailedTokens {
  /** The token of a message: 256 bits, in base64url. */
  of(messageId: string): string;
}

export function createMailedTokens(secret: Uint8Array): MailedTokens {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'longshore mailed tokens', 32));
  return { of: (messageId) => createHmac('sha256', key).update(messageId).digest('base64url') };
}

/** The value that is stored and looked up. A plain hash is enough: the token cannot be guessed. */
export function hashMailedToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
