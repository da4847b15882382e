import { fingerprint } from '../files/chunk-check.ts';
import type { ListedObject } from './object-list.ts';

/** An object that is not as its row says. `altered`: its bytes are those that were finalized, and `detail` names what the row has otherwise. */
export interface Fault {
  readonly object: ListedObject;
  readonly why: 'absent' | 'damaged' | 'altered';
  readonly detail?: string;
}

/** What a storage says of an object. What it does not know is left out. */
export interface StoredFacts {
  /** Bytes. */
  readonly size: number;
  readonly etag?: string;
  readonly digest?: string | undefined;
  /** Etags of its chunks, in their order. */
  readonly chunks?: readonly string[] | undefined;
}

/**
 * Compares a row with its object. Etag and fingerprint both tell the object's bytes: where one of them agrees, these are the
 * right ones, and what else differs was changed in the row.
 */
export function judgeRow(object: ListedObject, stored: StoredFacts): Fault | null {
  const { facts } = object;
  const agreeing = new Map<string, boolean>();
  const compare = (name: string, row: string, known: string | undefined) => {
    if (row !== '' && known !== undefined) agreeing.set(name, row === known);
  };
  compare('size', String(object.size), String(stored.size));
  compare('etag', object.etag, stored.etag);
  compare('digest', facts?.digest ?? '', stored.digest);
  compare('fingerprint', facts?.fingerprint ?? '', stored.chunks && fingerprintOf(stored.size, stored.chunks));
  const wrong = [...agreeing].flatMap(([name, agrees]) => (agrees ? [] : [name]));
  if (wrong.length === 0) return null;
  const isRow = facts !== undefined && (agreeing.get('etag') === true || agreeing.get('fingerprint') === true);
  return isRow
    ? { object, why: 'altered', detail: `its row has another ${wrong.join(' and ')} than its bytes` }
    : { object, why: 'damaged' };
}

const fingerprintOf = (size: number, chunks: readonly string[]): string =>
  fingerprint({ size, chunks: chunks.map((etag, index) => ({ number: index + 1, etag })) });
