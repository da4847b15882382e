import type { CloudHttp } from '../http/client.ts';
import { firstBytes } from '../http/first-bytes.ts';
import type { FileRecord } from './assets.ts';
import { storageError } from './errors.ts';

/** What the bucket says of a file's bytes. */
export interface StoredObject {
  readonly size: number;
  /** Lower-case hex; null where the bucket does not name it. */
  readonly crc32c: string | null;
}

/** The digest in Cloud Storage's `x-goog-hash`. */
export function crc32cIn(headers: Readonly<Record<string, string>>): string | null {
  const named = /(?:^|,)\s*crc32c=([A-Za-z0-9+/]{6}==)/.exec(headers['x-goog-hash'] ?? '')?.[1];
  return named === undefined ? null : Buffer.from(named, 'base64').toString('hex');
}

/**
 * Looks at the bytes by the address that iconik gives to read them, which allows GET alone: its first byte is asked for. Null
 * if there are none, or iconik gives no address yet.
 */
export async function storedObject(
  http: CloudHttp,
  { url }: FileRecord,
  signal: AbortSignal,
  now: () => Date,
): Promise<StoredObject | null> {
  if (url === '') return null;
  const { status, headers, body } = await http.open({ method: 'GET', url, headers: { range: 'bytes=0-0' } }, signal);
  const bytes = await firstBytes(body);
  if (status === 404) return null;
  // An empty object has no first byte.
  if (status !== 206 && status !== 416) throw storageError({ status, headers, bytes }, now());
  const size = /\/(\d{1,15})$/.exec(headers['content-range'] ?? '')?.[1];
  return size === undefined ? null : { size: Number(size), crc32c: crc32cIn(headers) };
}
