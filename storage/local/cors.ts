/** Pages that may use the storage from a browser: all, or those of the listed origins. */
export type CorsRule = 'any' | readonly string[];

const exposed = 'ETag, Content-Length, Content-Range, Content-Disposition, Accept-Ranges, Retry-After';

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

/** One day, so that a browser does not send a preflight request before every part. */
export const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT',
  'Access-Control-Allow-Headers': 'Content-Type, Range, If-Range',
  'Access-Control-Max-Age': '86400',
  'Content-Length': '0',
} as const;
