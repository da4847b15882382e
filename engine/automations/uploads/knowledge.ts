import type { LedgerRow } from '../record.ts';
import type { SeenFile } from './scan-folder.ts';

/**
 * What the ledger says of a file. `new`: it was not sent as it is; it may have been before it changed, or is another
 * file of the same name.
 */
export type Knowledge = 'new' | 'existing' | 'under_way' | 'sent' | 'failed';

interface Rows {
  /** Of the file's path. */
  readonly byKey: LedgerRow | null;
  /** Of its identity. */
  readonly byIdentity: readonly LedgerRow[];
  /** Of its content; empty where that is not asked for. */
  readonly byContent: readonly LedgerRow[];
}

/**
 * The rule by which nothing is sent twice and nothing is missed (contract/agent.md §10.1): a file is known by its path,
 * size and time, or under another name by its identity, size and time, or by its content.
 */
export function knowledgeOf(file: SeenFile, { byKey: row, byIdentity, byContent }: Rows): Knowledge {
  const byKey = row?.state === 'left_out' ? null : row;
  // What goes on is compared once it is over: the transfer notes what it has really sent.
  if (byKey?.state === 'sending') return 'under_way';
  if (byKey && sameStamp(file, byKey)) return knownBy(byKey);
  const renamed = renamedFrom(file, byIdentity);
  if (renamed) return knownBy(renamed);
  const copy = byContent.find(({ size, state }) => size === file.size && state !== 'left_out');
  return copy ? knownBy(copy) : 'new';
}

/** The row of a file that has another name now. */
export function renamedFrom(file: SeenFile, byIdentity: readonly LedgerRow[]): LedgerRow | undefined {
  return isLasting(file) ? byIdentity.find((row) => sameStamp(file, row) && !isGone(row)) : undefined;
}

const sameStamp = (file: SeenFile, row: LedgerRow): boolean => row.size === file.size && row.modifiedAt === file.mtimeMs;

/** What was deleted or moved away has left its inode to others; what went away before it was sent is new under any name. */
const isGone = ({ state }: LedgerRow): boolean => state === 'deleted' || state === 'moved' || state === 'left_out';

/**
 * Inodes are given to other files later. A time of birth tells these apart; without one, a time of change with its
 * fraction does, which archives and copies of old disks do not have.
 */
const isLasting = ({ identity, mtimeMs }: SeenFile): boolean => !identity.endsWith(':0') || mtimeMs % 1_000 !== 0;

function knownBy({ state }: LedgerRow): Knowledge {
  switch (state) {
    case 'sending':
    case 'receiving':
      return 'under_way';
    case 'existing':
    case 'failed':
      return state;
    default:
      return 'sent';
  }
}
