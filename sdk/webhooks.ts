import type { WebhookPayload } from '../protocol/hosted/webhook-events.ts';

/** A request that is not a genuine call of the webhook. The message says why; it holds no secret. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/** Headers of a request: a `Headers`, or an object with lower-case names as Node has it. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookOptions {
  /** Maximum distance between the call's time and this machine's clock, in seconds. Default: five minutes. */
  readonly toleranceSeconds?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Verifies the signature of a webhook's call (contract/signing.md §6) and returns its content. The `event_id` is the
 * same at each attempt: a receiver that stores it can ignore repeated calls.
 *
 * @param body the request's body, byte for byte as it was received
 * @param secret the webhook's secret, `whsec_…`
 * @throws WebhookError when the call is not genuine, or too old
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string,
  { toleranceSeconds = 300, now = Date.now }: WebhookOptions = {},
): Promise<WebhookPayload> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  const age = Math.abs(now() / 1_000 - Number(timestamp));
  // A timestamp that is not a number gives NaN, which is not within the tolerance.
  if (!(age <= toleranceSeconds)) throw new WebhookError('The time of the call is too far from the clock of this machine.');

  const key = await crypto.subtle.importKey('raw', fromBase64(secret.replace(/^whsec_/, '')), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  for (const signature of signatures.split(' ')) {
    if (!signature.startsWith('v1,')) continue;
    // Compares in constant time.
    if (await crypto.subtle.verify('HMAC', key, fromBase64(signature.slice(3)), signed)) {
      return JSON.parse(new TextDecoder().decode(bytes)) as WebhookPayload;
    }
  }
  throw new WebhookError('The signature of the call is not that of this webhook.');
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== 'string' || value === '') throw new WebhookError(`The call has no header ${name}.`);
  return value;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch (cause) {
    throw new WebhookError('The secret or the signature of the call is not base64.', { cause });
  }
}
