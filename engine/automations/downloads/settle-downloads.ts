import type { Store } from '../../state/store.ts';
import type { DownloadRecord, TransferRecord } from '../../transfer/record.ts';
import type { TransferRegistry } from '../../transfer/transfer-registry.ts';
import type { DownloadAutomation, LedgerRow } from '../record.ts';

/**
 * Moves the ledger along with its transfers. Idempotent: after a crash the transfers tell the same again.
 */

export interface SettlePorts {
  readonly store: Store;
  readonly registry: Pick<TransferRegistry, 'find'>;
  readonly now: () => number;
}

/** What is left to do at the service once a package is here; stored as the `target` of its row. */
export type Afterwards = { readonly what: 'keep' | 'delete' | 'archive'; readonly linkId: string };

export function afterwardsOf({ target }: Pick<LedgerRow, 'target'>): Afterwards | null {
  const [what, linkId = ''] = target.split(' ');
  return what === 'keep' || what === 'delete' || what === 'archive' ? { what, linkId } : null;
}

/** Returns the keys of the rows whose packages have come since. */
export function settleDownloads(ports: SettlePorts, automation: DownloadAutomation): string[] {
  const { ledger } = ports.store.automations;
  const received: string[] = [];
  for (const transferId of ledger.openTransfers(automation.id)) {
    const record = ports.registry.find(transferId);
    const [row] = ledger.ofTransfer(transferId, 0, 1);
    if (!row) continue;
    settle(ports, automation, row, record);
    if (record?.phase.state === 'complete') received.push(row.key);
  }
  return received;
}

function settle({ store, now }: SettlePorts, { id, fields }: DownloadAutomation, row: LedgerRow, record: TransferRecord | null): void {
  const { ledger, results } = store.automations;
  const change = (to: Partial<LedgerRow>, result: 'received' | 'failed' | null): void => {
    store.writer.write(() => {
      const message = to.message ?? '';
      ledger.change(row.id, { ...to, message, at: now() });
      if (result) results.add(id, { at: now(), kind: result, name: row.path, transferId: row.transferId, message });
    });
  };
  const failed = (message: string): void => {
    if (row.state !== 'failed') change({ state: 'failed', message }, 'failed');
  };
  switch (record?.phase.state) {
    case 'complete':
      if (record.kind === 'download') change({ state: 'received', ...afterComplete(record, fields.afterwards) }, 'received');
      break;
    case 'error':
      failed(record.phase.failure.message);
      break;
    case 'cancelled':
      failed('Its transfer was cancelled. Retry that, or forget this entry.');
      break;
    case undefined:
      failed('Its transfer was removed before its end was noted here.');
      break;
    default:
      // Somebody retried a transfer that had failed.
      if (row.state === 'failed') change({ state: 'receiving' }, null);
  }
}

/** A package is taken from its service only where all of it is here and its receipt agrees. */
function afterComplete({ request, facts }: DownloadRecord, wanted: Afterwards['what']): Pick<LedgerRow, 'target' | 'message'> {
  const linkId = request.source.kind === 'link' ? request.source.linkId : '';
  const staying = (message: string) => ({ target: `keep ${linkId}`, message });
  if (wanted === 'keep') return staying('');
  if (request.fileIds !== null) return staying('Only a part of it was wanted, so it stays at its service.');
  if (facts.withoutFailed) return staying('Some of its files did not come, so it stays at its service.');
  if (!facts.receipt) return staying('Its service gave no receipt, so it stays there.');
  return { target: `${wanted} ${linkId}`, message: '' };
}
