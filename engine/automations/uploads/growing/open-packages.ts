import type { Store } from '../../../state/store.ts';
import type { UploadRecord } from '../../../transfer/record.ts';
import { isOver } from '../../../transfer/state-machine.ts';
import type { TransferRegistry } from '../../../transfer/transfer-registry.ts';
import type { UploadAutomation } from '../../record.ts';
import { ledgerRows, transferFiles } from '../package-files.ts';
import type { FolderScan } from '../scan-folder.ts';
import type { GrowingPlan, OpenPackage } from './growing-plan.ts';

/** Packages that an automation keeps open while their files grow. What says so is in their transfers. */

export interface OpenPackagesPorts {
  readonly store: Store;
  readonly registry: Pick<TransferRegistry, 'find' | 'addTotals' | 'patchUpload'>;
  readonly now: () => number;
}

/** Milliseconds after which an automation with such packages looks again, whatever events it gets. */
export const recheckMs = 5_000;

/** Those of this automation, in the order in which they were begun. One of another folder than this has no entry here. */
export function openPackages(ports: OpenPackagesPorts, { id }: UploadAutomation, realPath: string): OpenPackage[] {
  const { files } = ports.store;
  return collecting(ports, id).map(({ id: transferId, request }) => ({
    transferId,
    entry: request.paths[0] === realPath ? (request.growing?.entry ?? null) : null,
    isSent: files.pending(transferId, 0, 1).length === 0 && files.growing(transferId, 0, 1).length === 0,
  }));
}

/** Adds what came into their entries, each with its rows in the ledger in one commit, and closes those that are whole. */
export function fillPackages(ports: OpenPackagesPorts, { id }: UploadAutomation, { realPath }: FolderScan, plan: GrowingPlan): void {
  const { store, registry, now } = ports;
  store.writer.write(() => {
    for (const joining of plan.joins) {
      if (!isCollecting(ports, joining.transferId)) continue;
      const files = transferFiles({ ...joining, emptyFolders: [] }, realPath);
      store.automations.ledger.put(
        id,
        ledgerRows(joining.files, joining.transferId, now(), () => ''),
      );
      store.files.insert(joining.transferId, files);
      registry.addTotals(joining.transferId, { bytes: files.reduce((sum, { size }) => sum + size, 0), files: files.length });
    }
    for (const { transferId, entry, emptyFolders } of plan.closes) {
      const folders = transferFiles({ entry: entry ?? '', files: [], emptyFolders }, realPath);
      store.files.insert(transferId, folders);
      registry.addTotals(transferId, { bytes: 0, files: folders.length });
      close(ports, transferId);
    }
  });
}

/** Nothing is added to the packages of an automation any more: each is finalized once its files are still. Inside a write. */
export function letGo(ports: OpenPackagesPorts, automationId: string): void {
  for (const { id } of collecting(ports, automationId)) close(ports, id);
}

function close({ store, registry }: OpenPackagesPorts, transferId: string): void {
  store.writer.write(() => registry.patchUpload(transferId, { collecting: false }));
}

const isCollecting = ({ registry }: OpenPackagesPorts, transferId: string): boolean => {
  const record = registry.find(transferId);
  return record?.kind === 'upload' && record.facts.collecting === true && !isOver(record.phase);
};

function collecting(ports: OpenPackagesPorts, automationId: string): UploadRecord[] {
  return ports.store.automations.ledger.openTransfers(automationId).flatMap((transferId) => {
    const record = isCollecting(ports, transferId) ? ports.registry.find(transferId) : null;
    return record?.kind === 'upload' ? [record] : [];
  });
}
