import { TransferError } from '#client/errors.ts';
import { storageRefusal } from '#client/storage-answers.ts';
import { rangeOf } from '#protocol/storage/ranges.ts';

/** Maximum bytes of a text that are shown. */
export const shownBytes = 64 * 1024;

/** The beginning of a file as text; null where it is not text. */
export async function beginningOf(fetcher: typeof fetch, url: string, size: number, signal: AbortSignal): Promise<string | null> {
  if (size === 0) return '';
  const response = await fetcher(url, {
    headers: { range: rangeOf(0, Math.min(size, shownBytes)) },
    cache: 'no-store',
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    signal,
  });
  if (!response.ok || !response.body) {
    const text = (await response.text()).slice(0, 2_000);
    throw storageRefusal({ status: response.status, headers: Object.fromEntries(response.headers), text }, 'object');
  }
  return textOf(await firstBytes(response.body, shownBytes));
}

/** At most this number of bytes, however many are received. */
async function firstBytes(body: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(most);
  const reader = body.getReader();
  let filled = 0;
  while (filled < most) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new TransferError('cut', 'The connection broke.', { cause });
    });
    if (done) break;
    const some = value.subarray(0, most - filled);
    bytes.set(some, filled);
    filled += some.length;
  }
  await reader.cancel().catch(() => undefined);
  return bytes.subarray(0, filled);
}

/**
 * Decodes UTF-16 with a byte order mark, UTF-8, or otherwise Windows-1252, which accepts any bytes; null for binary
 * data.
 */
export function textOf(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decoded(bytes, 'utf-16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decoded(bytes, 'utf-16be');
  if (bytes.includes(0)) return null;
  try {
    return decoded(bytes, 'utf-8');
  } catch {
    return decoded(bytes, 'windows-1252');
  }
}

/** An incomplete character at the end is dropped. */
const decoded = (bytes: Uint8Array, encoding: string): string => new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
