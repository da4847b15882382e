import { TransferError } from './errors.ts';
import { isLastingStatus } from './faults.ts';
import { retryAfterSeconds } from './retry-after.ts';

/** A storage's error answer to a request to a blueprint's or a download address. */
interface StorageRefusal {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The beginning of the body is enough: S3 and Longshore's own storage answer with small XML. */
  readonly text: string;
}

/** The kind of request: a part or the beginning of an upload, or an object's bytes. */
type AskedOf = 'upload' | 'object';

/** Converts a storage's refusal to a `TransferError`. Reads S3's `Code` where the status alone misleads. */
export function storageRefusal({ status, headers, text }: StorageRefusal, asked: AskedOf): TransferError {
  const retryAfter = retryAfterSeconds(headers['retry-after']);
  return refusalOf({ status, code: element(text, 'Code'), said: element(text, 'Message'), retryAfter }, asked);
}

const full = 'The storage is full';

/** A refusal that is already parsed. */
interface SaidRefusal {
  readonly status: number;
  readonly code: string | null;
  readonly said: string | null;
  /** Seconds. */
  readonly retryAfter: number | null;
}

export function refusalOf({ status, code, said, retryAfter }: SaidRefusal, asked: AskedOf): TransferError {
  const words = said ? `: ${said}` : '.';
  if (code === 'RequestTimeout' || code === 'IncompleteBody' || status === 408)
    return new TransferError('cut', `The storage gave up waiting for bytes${words}`);
  if (status < 400 || (code === null && said === null && passingWithoutWords(status))) {
    return new TransferError('wrong_answer', `Something on the way to the storage answered in its place, with status ${status}.`, {
      retryAfter,
    });
  }
  if (status === 401 || status === 403 || code === 'ExpiredToken') {
    return new TransferError('address_refused', `The storage does not accept the address it was reached by${words}`);
  }
  // The upload and the object may still exist: the operator may restore the bucket.
  if (code === 'NoSuchBucket')
    return new TransferError('storage_failed', 'The storage has no such bucket. Its operator must see to it.', { retryAfter });
  if (code === 'ObjectDamaged') return new TransferError('digest_mismatch', `The storage’s copy of the file is damaged${words}`);
  if (status === 404 || status === 410) {
    return asked === 'upload'
      ? new TransferError('upload_gone', `The storage does not know this upload any more${words}`)
      : new TransferError('object_gone', `The file is no longer in the storage${words}`);
  }
  if (status === 429 || status === 503) return new TransferError('storage_busy', `The storage is busy${words}`, { retryAfter });
  if (code === 'BadDigest' || code === 'XAmzContentSHA256Mismatch') {
    return new TransferError('chunk_mismatch', `What the storage received is not what was sent${words}`);
  }
  if (code === 'OperationAborted') return new TransferError('storage_busy', `The storage is busy${words}`, { retryAfter });
  // Our own storage says it in the same words, and what comes of it.
  if (status === 507) return new TransferError('storage_full', said?.startsWith(full) ? said : `${full}${words}`);
  if (status >= 500) return new TransferError('storage_failed', `The storage failed with status ${status}${words}`, { retryAfter });
  // A storage says it in words. Without any it is a proxy before it, and its operator has to tell the service of it.
  if (status === 413 && said === null) {
    return new TransferError(
      'storage_refused',
      'A proxy before the storage does not take as much at once (status 413). Ask the operator to raise its bound, or to name it by --storage-max-body.',
    );
  }
  return new TransferError('storage_refused', `The storage refused with status ${status}${words}`);
}

/**
 * A storage gives its reason in S3's XML. An answer without one is from a proxy or a network's sign-in page, so it must
 * not count as a lost upload. A refused address is renewed in any case.
 */
function passingWithoutWords(status: number): boolean {
  return status < 500 && status !== 401 && status !== 403 && status !== 429 && !isLastingStatus(status);
}

function element(xml: string, name: string): string | null {
  const found = new RegExp(`<${name}>([^<]{1,500})</${name}>`).exec(xml);
  return found ? found[1]! : null;
}
