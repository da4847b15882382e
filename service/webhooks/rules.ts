import { ApiError } from '#protocol/errors.ts';
import type { WebhookRequest } from '#protocol/hosted/webhooks.ts';

/** Headers that a Team must not set: those of the connection, and those of the signature. */
const forbidden = new Set([
  'host',
  'connection',
  'content-length',
  'content-encoding',
  'date',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);
const forbiddenPrefix = /^(?:webhook|proxy|sec)-/;
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const headerValue = /^[\t\x20-\x7e]*$/;
/** Common servers accept 8 KiB of request headers. */
const headersBytes = 8 * 1024;

const refuse = (detail: string): ApiError => new ApiError('invalid_request', { detail });

/**
 * Checks what a webhook's schema cannot express, except whether its address is private. Returns the parsed URL. Errors:
 * `invalid_request` that names the field or the header; never a value, which may be a secret.
 */
export function checkWebhook({ url, headers = {} }: WebhookRequest): URL {
  const seen = new Set<string>();
  let bytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    const shown = JSON.stringify(name);
    if (!headerName.test(name)) throw refuse(`headers: ${shown} is not a header's name. Use letters, digits and "-".`);
    if (forbidden.has(lower) || forbiddenPrefix.test(lower)) throw refuse(`headers: ${shown} is set by the service itself.`);
    if (seen.has(lower)) throw refuse(`headers: ${shown} stands there twice, in different case.`);
    if (!headerValue.test(value)) throw refuse(`headers: the value of ${shown} must be one line of ASCII text.`);
    seen.add(lower);
    bytes += name.length + value.length + 4;
  }
  if (bytes > headersBytes) throw refuse(`headers: together they are longer than ${headersBytes} bytes.`);

  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw refuse('url: this is not an address that begins with https:// or http://.');
  if (parsed.username || parsed.password) throw refuse('url: put credentials in headers, not in the address.');
  return parsed;
}
