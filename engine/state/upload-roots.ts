import type Database from 'better-sqlite3';
import type { RootIdentity } from '../folders/root-identity.ts';

/**
 * What the paths of uploads led to when somebody asked to send them. Uploads of older agents have none. Deleted together
 * with the transfer.
 */
export interface UploadRootsTable {
  /** `null` where nothing could be looked at. The first has the number `from`: how many paths the upload had before. */
  insert(transferId: string, from: number, roots: readonly (RootIdentity | null)[]): void;
  byNumber(transferId: string, number: number): RootIdentity | null;
  /** By its real path. */
  byPath(transferId: string, path: string): RootIdentity | null;
}

export function uploadRootsTable(db: Database.Database): UploadRootsTable {
  const insert = db.prepare('INSERT INTO upload_roots (transfer_id, number, path, identity) VALUES (?, ?, ?, ?)');
  const byNumber = db.prepare<[string, number], string>('SELECT identity FROM upload_roots WHERE transfer_id = ? AND number = ?').pluck();
  const byPath = db
    .prepare<[string, string], string>('SELECT identity FROM upload_roots WHERE transfer_id = ? AND path = ? ORDER BY number DESC LIMIT 1')
    .pluck();
  return {
    insert(transferId, from, roots) {
      for (const [index, root] of roots.entries()) if (root) insert.run(transferId, from + index, root.path, JSON.stringify(root));
    },
    byNumber: (transferId, number) => identityIn(byNumber.get(transferId, number)),
    byPath: (transferId, path) => identityIn(byPath.get(transferId, path)),
  };
}

const identityIn = (text: string | undefined): RootIdentity | null => (text === undefined ? null : (JSON.parse(text) as RootIdentity));
