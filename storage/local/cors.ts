import { crossOrigin } from '#protocol/storage/requests.ts';

/** Pages that may use the storage from a browser: all, or those of the listed origins. */
export type CorsRule = 'any' | readonly string[];

const exposed = crossOrigin.exposedHeaders.join(', ');

const none: Map<string, string> = new Map();

const open: Map<string, string> = new Map([
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Expose-Headers', exposed],
]);

/** Addresses are signed and no cookies are used, so `any` permits nothing beyond the address itself. */
export function corsHeaders(rule: CorsRule, origin: string | undefined): Map<string, string> {
  if (rule === 'any') return origin === undefined ? none : open;
  if (origin === undefined || !rule.includes(origin)) return new Map([['Vary', 'Origin']]);
  return new Map([
    ['Access-Control-Allow-Origin', origin],
    ['Access-Control-Expose-Headers', exposed],
    ['Vary', 'Origin'],
  ]);
}

export const preflightHeaders = {
  'Access-Control-Allow-Methods': crossOrigin.methods.join(', '),
  'Access-Control-Allow-Headers': crossOrigin.requestHeaders.join(', '),
  'Access-Control-Max-Age': String(crossOrigin.maxAgeSeconds),
  'Content-Length': '0',
} as const;
