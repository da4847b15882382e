import type { FileSystem } from '#filesystem/port.ts';
import type { Store } from '../../state/store.ts';
import { type FileRecord, packageIdOf, type TransferRecord, type UploadRecord } from '../../transfer/record.ts';
import type { TransferRegistry } from '../../transfer/transfer-registry.ts';
import type { LedgerRow, ResultKind } from '../record.ts';
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
      return settleStopped(ports, automationId, record, record.phase.failure.message);
    case 'cancelled':
      return settleStopped(ports, automationId, record, 'Its transfer was cancelled. Retry that, or forget this entry.');
    case undefined:
      return settleFailed(ports, automationId, { id: transferId, name: '' }, 'Its transfer was removed before its end was noted here.');
    default:
      return settleRetried(ports, transferId);
  }
}

/** Somebody retried a transfer that had failed. */
function settleRetried({ store, now }: SettlePorts, transferId: string): boolean {
  const to = { state: 'sending', message: '', at: now() } as const;
  return store.writer.write(() => store.automations.ledger.moveTransfer(transferId, ['failed'], to)) > 0;
}

type Ended = Pick<TransferRecord, 'id' | 'name'>;

/** One that failed, was cancelled, or ended because all that it was to send went away before: then nothing is left to retry. */
function settleStopped(ports: SettlePorts, automationId: string, record: TransferRecord, message: string): boolean {
  return ports.store.writer.write(() => {
    const leftOut = settleLeftOut(ports, automationId, record);
    const failed = settleFailed(ports, automationId, record, message);
    if (!failed && leftOut.count > 0)
      note(ports, automationId, 'skipped', record, `Nothing was sent: ${namesOf(leftOut)} went away before.`);
    return failed || leftOut.count > 0;
  });
}

function settleFailed(ports: SettlePorts, automationId: string, transfer: Ended, message: string): boolean {
  const { store, now } = ports;
  return store.writer.write(() => {
    const moved = store.automations.ledger.moveTransfer(transfer.id, ['sending'], { state: 'failed', message, at: now() });
    if (moved > 0) note(ports, automationId, 'failed', transfer, message);
    return moved > 0;
  });
}

function note({ store, now }: SettlePorts, automationId: string, kind: ResultKind, { id, name }: Ended, message: string): void {
  store.automations.results.add(automationId, { at: now(), kind, name, transferId: id, message });
}

/** Files that went away before they were sent. */
interface LeftOut {
  readonly count: number;
  /** Its path inside the watched folder. */
  readonly first: string;
}

const noneLeftOut: LeftOut = { count: 0, first: '' };
const withOneMore = ({ count, first }: LeftOut, { path }: LedgerRow): LeftOut => ({ count: count + 1, first: first || path });
const namesOf = ({ first, count }: LeftOut): string => (count === 1 ? first : `${first} and ${count - 1} more`);

/** Those of a transfer that did not complete. Inside a write. */
function settleLeftOut({ store, now }: SettlePorts, automationId: string, record: TransferRecord): LeftOut {
  const { ledger } = store.automations;
  const folder = folderOf(record);
  let found = noneLeftOut;
  for (let offset = 0; ; offset += rowsPerPage) {
    const { records } = store.files.page(record.id, offset, rowsPerPage, 'skipped');
    for (const { local, error } of records) {
      const row = ledger.byKey(automationId, keyOf(local, folder));
      if (row?.transferId !== record.id || row.state !== 'sending') continue;
      ledger.change(row.id, { state: 'left_out', message: error?.message ?? '', at: now() });
      found = withOneMore(found, row);
    }
    if (records.length < rowsPerPage) return found;
  }
}

/** What was really sent is what the transfer's table says: a file may have changed, or was left out. */
async function settleComplete(ports: SettlePorts, automationId: string, record: UploadRecord, signal: AbortSignal): Promise<boolean> {
  const { store, now } = ports;
  const { ledger } = store.automations;
  const folder = folderOf(record);
  // Only what the signed receipt confirms may be moved or deleted.
  const message = record.facts.receipt ? '' : noReceipt;
  let settled = 0;
  let leftOut = noneLeftOut;
  for (let afterId = 0; ; ) {
    const files = store.files.after(record.id, afterId, rowsPerPage);
    if (files.length === 0) break;
    afterId = files.at(-1)!.id;
    store.writer.write(() => {
      for (const file of files) {
        if (file.kind !== 'file') continue;
        const row = ledger.byKey(automationId, keyOf(file.local, folder));
        if (row?.transferId !== record.id || (row.state !== 'sending' && row.state !== 'failed')) continue;
        const outcome = outcomeOf(ports, file, row, record);
        // It was told already.
        if (row.state === 'failed' && outcome.state === 'failed') continue;
        ledger.change(row.id, { ...outcome, ...(file.state === 'complete' ? { message } : {}), at: now() });
        settled++;
        if (outcome.state === 'left_out') leftOut = withOneMore(leftOut, row);
      }
    });
    await new Promise((resume) => setImmediate(resume));
    signal.throwIfAborted();
  }
  if (settled === 0) return false;
  store.writer.write(() => {
    // Rows of files that the transfer does not have any more.
    const gone = { state: 'failed', message: 'Its transfer ended without it.', at: now() } as const;
    ledger.moveTransfer(record.id, ['sending'], gone);
    note(ports, automationId, 'sent', record, leftOut.count === 0 ? '' : `It went without ${namesOf(leftOut)}, which went away before.`);
  });
  return true;
}

/** The watched folder as it was named when the transfer was made. */
const folderOf = (record: TransferRecord): string => (record.kind === 'upload' ? (record.request.paths[0] ?? '') : '');

export const noReceipt = 'Its service gave no receipt, so it stays where it is.';

function outcomeOf(ports: SettlePorts, file: FileRecord, row: LedgerRow, record: TransferRecord): Partial<LedgerRow> {
  if (file.state === 'skipped') return { state: 'left_out', message: file.error?.message ?? 'It was left out.' };
  if (file.state !== 'complete') return { state: 'failed', message: file.error?.message ?? 'It was not sent.' };
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
