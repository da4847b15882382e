import type { Seal } from '../seal.ts';

/** A webhook's headers and secret in the database: encrypted, each bound to its row and column. */

type WebhookHeaders = Readonly<Record<string, string>>;

interface SealedWebhook {
  readonly id: string;
  readonly sealed_headers: Buffer;
  readonly sealed_secret: Buffer;
}

export const sealHeaders = (seal: Seal, id: string, headers: WebhookHeaders): Buffer =>
  seal.seal(`webhook ${id} headers`, JSON.stringify(headers));

export const openHeaders = (seal: Seal, row: Pick<SealedWebhook, 'id' | 'sealed_headers'>): Record<string, string> =>
  JSON.parse(seal.open(`webhook ${row.id} headers`, row.sealed_headers)) as Record<string, string>;

export const sealSecret = (seal: Seal, id: string, secret: string): Buffer => seal.seal(`webhook ${id} secret`, secret);

/** Never log it, and return it only from the call that created it. */
export const openSecret = (seal: Seal, row: Pick<SealedWebhook, 'id' | 'sealed_secret'>): string =>
  seal.open(`webhook ${row.id} secret`, row.sealed_secret);
