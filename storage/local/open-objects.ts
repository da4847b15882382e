import type { FileSystem } from '#filesystem/port.ts';
import { createSyncFsync } from '#filesystem/sync-fsync.ts';
import { createSyncWhenFast } from '#filesystem/sync-when-fast.ts';
import type { ObjectStorage } from '../ports.ts';
import { createDisk } from './disk.ts';
import { filesFor } from './group-readable.ts';
import { type Layout, layoutOf } from './layout.ts';
import { createLocalStorage } from './local-storage.ts';
import type { Accel } from './nginx-accel.ts';
import { createSegments } from './segments/segments.ts';
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
  /** The `traceparent` that addresses pass on; null for none. */
  readonly trace?: (() => string | null) | undefined;
}

/** The objects and uploads in a folder, for one process. `mayBeTorn`: another one recovers the folder (upload-completion.ts). */
export function openObjects(files: FileSystem, layout: Layout, mayBeTorn = false) {
  const disk = createDisk(files);
  const syncFsync = createSyncFsync();
  const syncWhenFast = createSyncWhenFast();
  return {
    files,
    layout,
    syncWhenFast,
    uploads: new LocalUploads(layout, disk, syncFsync, mayBeTorn),
    segments: createSegments({ files, layout, disk, syncWhenFast: syncFsync, readSyncWhenFast: syncWhenFast }),
  };
}

/**
 * The objects of a local storage that another process of this machine starts (server.ts): it recovers the folder, and serves the
 * data plane. Every step is one rename, so that any number of processes may work in the folder.
 */
export function openLocalObjects({ root, secret, publicUrl, accel, trace }: LocalObjectsSettings): ObjectStorage {
  return createLocalStorage({
    ...openObjects(filesFor(accel), layoutOf(root), true),
    secret,
    publicUrl: publicUrl.replace(/\/+$/, ''),
    trace,
    // Only saves the data plane a look at the disk.
    uploadsStarted: () => {},
    close: async () => {},
  });
}
