import { MoveError } from './errors.ts';
import { retryAfterSeconds } from './retry-after.ts';

/** What a storage said instead of doing what a blueprint or a download address asks. */
export interface StorageRefusal {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The beginning of the body is enough: S3 and Longshore's own storage answer small XML. */
  readonly text: string;
}

/** What was asked: a part or the beginning of an upload, or an object's bytes. */
export type AskedOf = 'upload' | 'object';

/** Gives a storage's refusal its place among the failures. Reads S3's `Code` where the status alone misleads. */
export function storageRefusal({ status, headers, text }: StorageRefusal, asked: AskedOf): MoveError {
  const retryAfter = retryAfterSeconds(headers['retry-after']);
  return refusalOf({ status, code: element(text, 'Code'), said: element(text, 'Message'), retryAfter }, asked);
}

/** A refusal that is taken apart already. */
export interface SaidRefusal {
  readonly status: number;
  readonly code: string | null;
  readonly said: string | null;
  /** Seconds. */
  readonly retryAfter: number | null;
}

export function refusalOf({ status, code, said, retryAfter }: SaidRefusal, asked: AskedOf): MoveError {
  const words = said ? `: ${said}` : '.';
  if (code === 'RequestTimeout' || status === 408) return new MoveError('cut', `The storage gave up waiting for bytes${words}`);
  if (status === 401 || status === 403 || code === 'ExpiredToken') {
    return new MoveError('address_refused', `The storage does not accept the address it was reached by${words}`);
  }
  if (status === 404 || status === 410) {
    return asked === 'upload'
      ? new MoveError('upload_gone', `The storage does not know this upload any more${words}`)
      : new MoveError('object_gone', `The file is no longer in the storage${words}`);
  }
  if (status === 429 || status === 503) return new MoveError('storage_busy', `The storage is busy${words}`, { retryAfter });
  if (status === 507) return new MoveError('storage_full', `The storage is full${words}`);
  if (status >= 500) return new MoveError('storage_failed', `The storage failed with status ${status}${words}`, { retryAfter });
  return new MoveError('storage_refused', `The storage refused with status ${status}${words}`);
}

function element(xml: string, name: string): string | null {
  const found = new RegExp(`<${name}>([^<]{1,500})</${name}>`).exec(xml);
  return found ? found[1]! : null;
}
