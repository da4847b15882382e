import { createHash } from 'node:crypto';
import { ProviderError } from '../errors.ts';
import { exactLength } from '../exact-length.ts';
import type { CloudAnswer, CloudHttp } from '../http/client.ts';
import { retryAfterOf } from '../http/retry-after.ts';
import type { PutPartRequest, StoredPart } from '../ports.ts';
import type { FrameioPart } from './upload-file.ts';

/** Frame.io gives no second address for a part. */
const over = (answered = '') =>
  new ProviderError('upload_gone', "The addresses for this file's parts at Frame.io are over. The file is sent from its beginning.", {
    answered,
  });

/** When a signed address of S3 ends; null if it does not say. */
function endOf(address: string): number | null {
  const query = new URL(address).searchParams;
  const [, date, time] = /^(\d{8})T(\d{6})Z$/.exec(query.get('X-Amz-Date') ?? '') ?? [];
  const seconds = Number(query.get('X-Amz-Expires') ?? Number.NaN);
  if (date === undefined || time === undefined || !Number.isFinite(seconds)) return null;
  const iso = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}Z`;
  return Date.parse(iso) + seconds * 1000;
}

/** Sends a part to its own address, which needs no token. `now` is Frame.io's clock. */
export async function sendPart(
  http: CloudHttp,
  { url, mediaType }: FrameioPart & { readonly mediaType: string },
  { number, size, open }: PutPartRequest,
  now: Date,
  signal: AbortSignal,
): Promise<StoredPart> {
  signal.throwIfAborted();
  const end = endOf(url);
  // The answer to a long body that nobody reads may be a broken connection.
  if (end !== null && end <= now.getTime()) throw over('expired');
  const md5 = createHash('md5');
  const stream = exactLength(open(0), size, () => new Error('The bytes of the part ended early, or are too many.'), {
    seen: (bytes) => void md5.update(bytes),
  });
  // Other headers would not be what was signed: a digest cannot be sent along, but S3 answers with one.
  const headers = { 'content-type': mediaType, 'x-amz-acl': 'private' };
  const answer = await http.send({ method: 'PUT', url, headers, body: { stream, size } }, signal);
  if (answer.status >= 300) throw partError(answer, now);
  const etag = (answer.headers['etag'] ?? '').replaceAll('"', '');
  if (isMd5(answer, etag) && etag !== md5.digest('hex')) {
    // Frame.io may have made the file of them already.
    throw new ProviderError('upload_gone', 'Bytes arrived changed at Frame.io. The file is sent from its beginning.', { answered: 'etag' });
  }
  return { number, size, tag: etag };
}

/** With a key of KMS the etag only looks like one. */
function isMd5({ headers }: CloudAnswer, etag: string): boolean {
  const encryption = headers['x-amz-server-side-encryption'] ?? 'AES256';
  return /^[\da-f]{32}$/.test(etag) && encryption === 'AES256';
}

function partError({ status, headers, bytes }: CloudAnswer, now: Date): ProviderError {
  const code = /<Code>(\w{1,60})<\/Code>/.exec(bytes.toString())?.[1] ?? '';
  const options = { answered: `${code} ${status}`.trim(), retryAfter: retryAfterOf(headers['retry-after'], now) };
  if (status === 404 || code === 'AccessDenied' || code === 'ExpiredToken') return over(options.answered);
  if (status === 429 || status >= 500 || code === 'RequestTimeout' || code === 'SlowDown') {
    return new ProviderError('busy', `Frame.io's storage is busy (${status}). It is tried again.`, options);
  }
  return new ProviderError(
    'bad_answer',
    `Frame.io's storage did not take a part (${options.answered}). It is tried again; if that goes on, tell the operator.`,
    options,
  );
}
