import type pg from 'pg';
import type { ListedItem } from '../backup/object-list.ts';
import type { Fault } from '../backup/row-facts.ts';
import type { CheckJournal } from './check-state.ts';
import type { Finding } from './finding.ts';
import type { Inside } from './inside.ts';

/** A storage as a check needs it: a folder (checked-folder.ts) or a bucket (checked-bucket.ts). */
export interface CheckedStorage {
  /** Rejects with a `BackupError` where the objects in it are not those of this database. */
  requireOwn(client: pg.Client): Promise<void>;
  /** Where all who may go on with a check of it find how far it is. `client` holds the lock of checks. */
  journal(client: pg.Client, dataDir: string, deep: boolean): CheckJournal;
  /** Items that are looked at concurrently. */
  readonly width: { readonly deep: number; readonly quick: number };
  look(client: pg.Client, options: LookOptions): Look;
  /**
   * What is stored and no row needs, of what is old enough. In steps, from the one after `reached` on (`''`: from the
   * beginning); each tells what the next run goes on after.
   */
  unneeded(
    client: pg.Client,
    reached: string,
    at: Date,
  ): AsyncGenerator<{ readonly reached: string; readonly findings: readonly Finding[] }>;
  /** Sees to it that orphans are freed, which looks once more. */
  free(client: pg.Client, orphans: readonly Finding[], at: Date): Promise<void>;
}

export interface LookOptions {
  /** Reads all bytes. */
  readonly deep: boolean;
  /** Bytes a second that are read at most; `null` for no limit. */
  readonly rate: number | null;
  readonly signal: AbortSignal;
  /** Bytes that are done. `worked`: not by an earlier run. */
  readonly moved: (bytes: number, worked?: boolean) => void;
}

/** One pass over a list of what has to be there. */
export interface Look {
  /** Called for items in the order of the list, also before the one before is done. */
  verify(item: ListedItem, inside?: Inside): Promise<readonly Fault[]>;
  /** The same for one that lies elsewhere by now, in any order. */
  verifyAgain(item: ListedItem): Promise<readonly Fault[]>;
  /** Where an object is, for people. */
  pathOf(key: string): string;
  /** Sees to it that nobody is given a damaged object by addresses of before. */
  withhold(key: string, at: Date): Promise<void>;
  /** Whether it is withheld since an earlier look. */
  isWithheld(key: string): Promise<boolean>;
  release(key: string): Promise<void>;
}
