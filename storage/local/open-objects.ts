import { createSyncFsync } from '#filesystem/sync-fsync.ts';
import type { ObjectStorage } from '../ports.ts';
import { createDisk } from './disk.ts';
import { filesFor } from './group-readable.ts';
import { layoutOf } from './layout.ts';
import { createLocalStorage } from './local-storage.ts';
import type { Accel } from './nginx-accel.ts';
import { LocalUploads } from './uploads.ts';

export interface LocalObjectsSettings {
  /** The folder of the objects. */
  readonly root: string;
  /** For signed addresses: that of the data plane. */
  readonly secret: Uint8Array;
  /** The data plane's public address. */
  readonly publicUrl: string;
  /** As the process has it that started the storage. */
  readonly accel?: Accel | undefined;
}

/**
 * The objects of a local storage that another process of this machine has started (server.ts): it has recovered the folder, and
 * serves the data plane. Every step is one rename, so that both may work in the folder.
 */
export function openLocalObjects({ root, secret, publicUrl, accel }: LocalObjectsSettings): ObjectStorage {
  const files = filesFor(accel);
  const layout = layoutOf(root);
  return createLocalStorage({
    files,
    layout,
    uploads: new LocalUploads(layout, createDisk(files), createSyncFsync()),
    secret,
    publicUrl: publicUrl.replace(/\/+$/, ''),
    // Only saves the data plane a look at the disk.
    uploadsStarted: () => {},
    close: async () => {},
  });
}
