import type { FileSystem } from '#filesystem/port.ts';
import type { Store } from '../../state/store.ts';
import { type FileRecord, packageIdOf, type TransferRecord, type UploadRecord } from '../../transfer/record.ts';
import type { TransferRegistry } from '../../transfer/transfer-registry.ts';
import type { LedgerRow, ResultRow } from '../record.ts';
import { keyOf } from './package-files.ts';
import { identityOf } from './scan-folder.ts';

/**
 * Moves the ledger along with its transfers. Idempotent: after a crash the transfers tell the same again, so that the
 * ledger is never behind them for long and never ahead.
 */

export interface SettlePorts {
  readonly store: Store;
  readonly registry: Pick<TransferRegistry, 'find' | 'addTotals' | 'patchUpload'>;
  readonly fileSystem: FileSystem;
  readonly now: () => number;
}

const rowsPerPage = 500;

/** Whether something in the ledger or the results changed. */
export async function settleTransfers(ports: SettlePorts, automationId: string, signal: AbortSignal): Promise<boolean> {
  let changed = false;
  for (const transferId of ports.store.automations.ledger.openTransfers(automationId)) {
    signal.throwIfAborted();
    changed = (await settleTransfer(ports, automationId, transferId, signal)) || changed;
  }
  return changed;
}

async function settleTransfer(ports: SettlePorts, automationId: string, transferId: string, signal: AbortSignal): Promise<boolean> {
  const record = ports.registry.find(transferId);
  switch (record?.phase.state) {
    case 'complete':
      return record.kind === 'upload' && (await settleComplete(ports, automationId, record, signal));
    case 'error':
      return settleFailed(ports, automationId, transferId, record.name, record.phase.failure.message);
    case 'cancelled':
      return settleFailed(ports, automationId, transferId, record.name, 'Its transfer was cancelled. Retry that, or forget this entry.');
    case undefined:
      return settleFailed(ports, automationId, transferId, '', 'Its transfer was removed before its end was noted here.');
    default:
      return settleRetried(ports, transferId);
  }
}

/** Somebody retried a transfer that had failed. */
function settleRetried({ store, now }: SettlePorts, transferId: string): boolean {
  const to = { state: 'sending', message: '', at: now() } as const;
  return store.writer.write(() => store.automations.ledger.moveTransfer(transferId, ['failed'], to)) > 0;
}

function settleFailed({ store, now }: SettlePorts, automationId: string, transferId: string, name: string, message: string): boolean {
  const { ledger, results } = store.automations;
  return store.writer.write(() => {
    const moved = ledger.moveTransfer(transferId, ['sending'], { state: 'failed', message, at: now() });
    if (moved > 0) results.add(automationId, { at: now(), kind: 'failed', name, transferId, message });
    return moved > 0;
  });
}

/** What was really sent is what the transfer's table says: a file may have changed, or was left out. */
async function settleComplete(ports: SettlePorts, automationId: string, record: UploadRecord, signal: AbortSignal): Promise<boolean> {
  const { store, now } = ports;
  const { ledger, results } = store.automations;
  const folder = record.request.paths[0] ?? '';
  // Only what the signed receipt confirms may be moved or deleted.
  const message = record.facts.receipt ? '' : noReceipt;
  let sent = 0;
  for (let afterId = 0; ; ) {
    const files = store.files.after(record.id, afterId, rowsPerPage);
    if (files.length === 0) break;
    afterId = files.at(-1)!.id;
    store.writer.write(() => {
      for (const file of files) {
        if (file.kind !== 'file') continue;
        const row = ledger.byKey(automationId, keyOf(file.local, folder));
        if (row?.transferId !== record.id || (row.state !== 'sending' && row.state !== 'failed')) continue;
        ledger.change(row.id, { ...outcomeOf(ports, file, row, record), ...(file.state === 'complete' ? { message } : {}), at: now() });
        sent++;
      }
    });
    await new Promise((resume) => setImmediate(resume));
    signal.throwIfAborted();
  }
  if (sent === 0) return false;
  store.writer.write(() => {
    // Rows of files that the transfer does not have any more.
    const gone = { state: 'failed', message: 'Its transfer ended without it.', at: now() } as const;
    ledger.moveTransfer(record.id, ['sending'], gone);
    results.add(automationId, { at: now(), kind: 'sent', name: record.name, transferId: record.id, message: '' } satisfies ResultRow);
  });
  return true;
}

export const noReceipt = 'Its service gave no receipt, so it stays where it is.';

function outcomeOf(ports: SettlePorts, file: FileRecord, row: LedgerRow, record: TransferRecord): Partial<LedgerRow> {
  if (file.state !== 'complete') {
    return { state: 'failed', message: file.error?.message ?? 'It was left out.' };
  }
  const changed =
    row.size !== file.size || row.modifiedAt !== file.modifiedAt || row.identity.split(':')[0] !== file.inode.split(':').at(-1);
  return {
    state: 'sent',
    packageId: packageIdOf(record),
    ...(changed ? { size: file.size, modifiedAt: file.modifiedAt, identity: identityNow(ports, file), blake3: '' } : {}),
  };
}

/** The identity of the file that was sent instead of the one that was chosen; without its birth if it is gone. */
function identityNow({ fileSystem }: SettlePorts, { local, inode, size, modifiedAt }: FileRecord): string {
  const number = inode.slice(inode.lastIndexOf(':') + 1);
  try {
    const there = fileSystem.lstatNow(local);
    if (there && String(there.ino) === number && there.size === size && there.mtimeMs === modifiedAt) return identityOf(there);
  } catch {
    // Then its birth stays unknown.
  }
  return `${number}:0`;
}
