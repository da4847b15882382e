import type { Seal } from '../seal.ts';

/** Headers and secret of a webhook as its row keeps them: sealed for that row and that column. */

export type WebhookHeaders = Readonly<Record<string, string>>;

export interface SealedWebhook {
  readonly id: string;
  readonly sealed_headers: Buffer;
  readonly sealed_secret: Buffer;
}

export const sealHeaders = (seal: Seal, id: string, headers: WebhookHeaders): Buffer =>
  seal.seal(`webhook ${id} headers`, JSON.stringify(headers));

export const openHeaders = (seal: Seal, row: Pick<SealedWebhook, 'id' | 'sealed_headers'>): Record<string, string> =>
  JSON.parse(seal.open(`webhook ${row.id} headers`, row.sealed_headers)) as Record<string, string>;

export const sealSecret = (seal: Seal, id: string, secret: string): Buffer => seal.seal(`webhook ${id} secret`, secret);

/** Never to be logged or answered, but by the call that made it. */
export const openSecret = (seal: Seal, row: Pick<SealedWebhook, 'id' | 'sealed_secret'>): string =>
  seal.open(`webhook ${row.id} secret`, row.sealed_secret);
