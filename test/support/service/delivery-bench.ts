import type { CloudProvider } from '#providers/ports.ts';
import { deliver } from '#service/transfers/delivery/deliver.ts';
import type { DeliveryJournal, DeliveryRequest, DeliveryResult } from '#service/transfers/delivery/ports.ts';
import { createPartMemory } from '#service/transfers/part-memory.ts';
import { type Cloud, createInMemoryProvider } from '#test/support/providers/in-memory-provider.ts';
import { createInMemoryJournal, type DeliveryState, newDeliveryState } from './in-memory-delivery-journal.ts';
import type { StoredFiles } from './stored-files.ts';

/** So small that the provider in memory, whose parts have 1000 bytes and more, gets several of a file. */
export const smallLimits = { files: 3, parts: 2 };
export const smallMemory = () => createPartMemory({ reserved: 3_000, shared: 9_000 }).open();

export const manifestFacts = {
  transferId: 'transfer-1',
  packageId: 'package-1',
  packageName: 'Rushes',
  portalName: 'Dailies',
  createdAt: new Date('2026-05-06T07:08:09Z'),
};

export interface DeliveryBench {
  readonly stored: StoredFiles;
  readonly cloud: Cloud;
  readonly state: DeliveryState;
  run(change?: Partial<DeliveryRequest>): Promise<DeliveryResult>;
}

/** A delivery from memory to memory. Each `run` is a new process: it knows what the journal and the cloud know. */
export function deliveryBench(
  stored: StoredFiles,
  cloud: Cloud,
  { provider = createInMemoryProvider(cloud), journal }: { provider?: CloudProvider; journal?: DeliveryJournal } = {},
): DeliveryBench {
  const state = newDeliveryState(stored.files);
  return {
    stored,
    cloud,
    state,
    run: (change = {}) =>
      deliver({
        provider,
        storage: stored,
        journal: journal ?? createInMemoryJournal(state),
        folder: 'Longshore/Rushes',
        givenFolder: null,
        manifest: null,
        memory: smallMemory(),
        limits: smallLimits,
        signal: new AbortController().signal,
        onProgress: () => {},
        ...change,
      }),
  };
}

/** What lies in a folder of the cloud, by the path below it. */
export const filesBelow = ({ files }: Cloud, folder: string): Map<string, Buffer> =>
  new Map([...files].filter(([path]) => path.startsWith(`${folder}/`)).map(([path, { bytes }]) => [path.slice(folder.length + 1), bytes]));
