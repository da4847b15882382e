/**
 * The storage's own HTTP as data (contract/storage.md §1 to §9): what its requests and answers look like, for those that send as
 * for the storage that answers. A part is numbered from 1, a chunk of the API from 0.
 */

/** Paths after the storage's own address. No key begins with `-/`. */
export const batchPutPath = '-/parts';
export const batchGetPath = '-/objects';
/** For load balancers and supervisors; needs no signature. */
export const healthPath = '-/healthz';

/** What a page of another origin may send and read (contract/storage.md §9). */
export const crossOrigin = {
  methods: ['GET', 'HEAD', 'POST', 'PUT'],
  requestHeaders: ['Content-Type', 'Range', 'If-Range'],
  exposedHeaders: ['ETag', 'Content-Length', 'Content-Range', 'Content-Disposition', 'Accept-Ranges', 'Retry-After'],
  /** One day, so that a browser does not send a preflight request before every part. */
  maxAgeSeconds: 86_400,
} as const;

/** Nothing on the way may keep or change an object's bytes. */
export const objectCacheControl = 'private, no-transform';

/** Sent with every request for bytes: a server might compress, and a range of compressed bytes is another range. */
export const unencoded = { 'accept-encoding': 'identity' } as const;

/** Of a request for bytes whose receiver compares them with the digest: the storage then need not (contract/storage.md §4). */
export const comparesHeader = 'x-longshore-compares';
export const compares = { [comparesHeader]: '1' } as const;

/**
 * The body's type in batch requests: one that browsers send to other origins without a preflight request; the storage
 * reads the body alike by any.
 */
export const batchContentType = 'text/plain';

/** Path and query of an address. The storage identifies the part or object by them, whatever host name is used. */
export function targetOf(address: string): string {
  const { pathname, search } = new URL(address);
  return pathname + search;
}

const originPattern = /^https?:\/\/[a-z0-9.:-]+(?=\/)/;
/** What a parser may change in a path and query. */
const unusual = /[^\w./?=&%~-]|\/(?:\.|%2e)/i;

/** `targetOf` each: of many at one storage, to parse their addresses would cost more than all else in their request. */
export function targetsOf(addresses: readonly string[]): string[] {
  const origin = originPattern.exec(addresses[0] ?? '')?.[0];
  return addresses.map((address) => {
    const target = origin !== undefined && address.startsWith(`${origin}/`) ? address.slice(origin.length) : null;
    return target === null || unusual.test(target) ? targetOf(address) : target;
  });
}

/**
 * The address of a batch request: one of its items' addresses is in the query, so that the storage knows before any body
 * is read that the caller may send one (contract/storage.md §5).
 *
 * @param url `many_parts_url` or `many_objects_url` of the spec
 * @param first the address of the first part or object
 */
export const batchAddress = (url: string, first: string): string => `${url}?for=${encodeURIComponent(targetOf(first))}`;

/** The path and query that a batch request is authorized by; empty without one. `query` is the request's, without `?`. */
export const authorizingTarget = (query: string): string => new URLSearchParams(query).get('for') ?? '';

/** A refusal of one part or object of a batch: what it alone would have been answered (contract/storage.md §7). */
export interface BatchRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Seconds, as in `Retry-After`. */
  readonly retry_after?: string;
}

/** What is wrong with a message of a batch request, as the end of a sentence. */
export interface Malformed {
  readonly malformed: string;
}

/** The etag of a part on local storage: `b3-` and the BLAKE3 of its bytes, 64 hex digits (contract/storage.md §3). */
export const partEtag = (blake3: string): string => `b3-${blake3}`;

const partEtagPattern = /^b3-([0-9a-f]{64})$/;

/** The 64 hex digits in a part's etag, or `null` if the etag is not from local storage. */
export const blake3OfEtag = (etag: string): string | null => partEtagPattern.exec(etag)?.[1] ?? null;

/** An etag without the quotes of its header; also of a weak one, which proxies make of others. */
export const unquoted = (header: string): string => header.replace(/^(?:W\/)?"(.*)"$/, '$1');
