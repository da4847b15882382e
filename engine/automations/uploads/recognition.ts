import type { FileStats, FileSystem } from '#filesystem/port.ts';
import type { Store } from '../../state/store.ts';
import type { TransferRegistry } from '../../transfer/transfer-registry.ts';
import type { LedgerRow } from '../record.ts';
import { transferDigestOf } from './content.ts';
import { keyOf } from './package-files.ts';

/**
 * Files that were sent and whose disk gives them other inodes since, as exFAT and some network drives do when they are
 * mounted anew. Size and time alone do not tell them from others, so they are read and compared with the digest that the
 * service has confirmed.
 */
export interface RecognitionPorts {
  readonly store: Pick<Store, 'files'>;
  readonly registry: Pick<TransferRegistry, 'find'>;
  readonly fileSystem: FileSystem;
}

/** `unknown`: its transfer was removed from the list, and its digest with it. */
export type Recognised = 'same' | 'other' | 'unknown';

interface Sent {
  readonly digest: string;
  readonly chunkSize: number;
}

const rowsPerPage = 1_000;

/** For one pass: the digests of a transfer are read once for all its files. Rejects with the system's error. */
export function createRecognition({ store, registry, fileSystem }: RecognitionPorts) {
  let last: { readonly transferId: string; readonly sent: ReadonlyMap<string, Sent> } | null = null;

  const sentBy = (transferId: string): ReadonlyMap<string, Sent> => {
    if (last?.transferId === transferId) return last.sent;
    const sent = new Map<string, Sent>();
    const record = registry.find(transferId);
    const folder = record?.kind === 'upload' ? record.request.paths[0] : undefined;
    for (let afterId = 0; folder !== undefined; ) {
      const files = store.files.after(transferId, afterId, rowsPerPage);
      for (const file of files) {
        const { local, remote } = file;
        if (file.state !== 'complete' || file.digest === undefined || remote.state === 'none') continue;
        sent.set(keyOf(local, folder), { digest: file.digest, chunkSize: remote.chunkSize });
      }
      if (files.length < rowsPerPage) break;
      afterId = files.at(-1)!.id;
    }
    last = { transferId, sent };
    return sent;
  };

  return async (path: string, { key, transferId }: LedgerRow, signal: AbortSignal): Promise<Recognised> => {
    const sent = sentBy(transferId).get(key);
    if (!sent) return 'unknown';
    return (await transferDigestOf(path, sent.chunkSize, fileSystem, signal)) === sent.digest ? 'same' : 'other';
  };
}

/** Whether the file has the size and time of the one that was sent, and only another inode. */
export function hasOtherInode(found: FileStats | null, { size, modifiedAt, identity }: LedgerRow): found is FileStats {
  return found?.isFile() === true && found.size === size && found.mtimeMs === modifiedAt && String(found.ino) !== identity.split(':')[0];
}
