import type { CloudProvider } from '#providers/ports.ts';
import type { Services } from '../../handler.ts';
import type { Log } from '../../log.ts';
import type { DeliveryCount } from '../delivery/ports.ts';
import type { LeaseKeeper } from '../lease-keeper.ts';
import type { TransferMemory } from '../part-memory.ts';
import type { TransferRow } from '../record.ts';
import type { Settling } from '../settle.ts';
import { cleanUpImport } from './clean-up.ts';
import { importFiles } from './import.ts';
import { openImportJournal } from './journal.ts';
import { packageFiles } from './package-files.ts';

interface ImportWork extends Pick<Services, 'db' | 'storage' | 'caches' | 'fileWrites' | 'now'> {
  readonly log: Log;
  readonly record: Settling['record'];
}

/** What of a transfer comes at the same time, and files and folders in all. */
const importLimits = { files: 16, parts: 4, entries: 1_000_000 } as const;

const filesPerRemoval = 1_000;

/** Brings what a transfer was asked for into its package, as long as its lease is kept. Errors: ports.ts. */
export async function runImport(
  provider: CloudProvider,
  row: TransferRow,
  work: ImportWork & { readonly memory: TransferMemory },
  keeper: LeaseKeeper,
): Promise<DeliveryCount> {
  return await importFiles({
    provider,
    storage: work.storage,
    files: packageFiles(work, row.package_id),
    journal: openImportJournal({ ...work, lease: keeper.lease }),
    memory: work.memory,
    limits: importLimits,
    signal: keeper.signal,
    onProgress: keeper.progress,
  });
}

/** Removes what a transfer that is over has left unfinished in its package. The provider is not asked. */
export async function cleanUpAfterImport(row: TransferRow, work: ImportWork, keeper: LeaseKeeper): Promise<void> {
  const journal = openImportJournal({ ...work, lease: keeper.lease });
  const files = packageFiles(work, row.package_id);
  await cleanUpImport({ journal, files, signal: keeper.forCleanup() });
  // What a storage gateway has added: finalized files stay.
  const added = await work.db.selectFrom('gateway_files').select('file_id').where('transfer_id', '=', row.id).execute();
  for (let at = 0; at < added.length; at += filesPerRemoval) {
    await files.remove(added.slice(at, at + filesPerRemoval).map(({ file_id }) => file_id));
  }
}
