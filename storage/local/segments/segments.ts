import type { FileSystem } from '#filesystem/port.ts';
import type { SyncWhenFast } from '#filesystem/sync-when-fast.ts';
import type { ObjectStorage } from '../../ports.ts';
import type { Disk } from '../disk.ts';
import type { Layout } from '../layout.ts';
import { pack } from './pack.ts';
import { PackedObjects } from './packed-objects.ts';
import { PackedUploads } from './packed-uploads.ts';
import { ReceivedSegments } from './received-segments.ts';
import { deleteSegment, endUploads, listSegments } from './segment-cleanup.ts';

interface SegmentsPorts {
  readonly files: FileSystem;
  readonly layout: Layout;
  readonly disk: Disk;
  /** For flushes. */
  readonly syncWhenFast: SyncWhenFast;
  /** For reads. */
  readonly readSyncWhenFast: SyncWhenFast;
}

/** What the service asks of packed objects. */
export interface Segments {
  readonly uploads: PackedUploads;
  readonly objects: PackedObjects;
  readonly calls: Required<Pick<ObjectStorage, 'deleteSegment' | 'listSegments' | 'pack' | 'endUploads'>>;
}

export function createSegments({ files, layout, disk, syncWhenFast, readSyncWhenFast }: SegmentsPorts): Segments {
  const ports = { files, layout, disk };
  const objects = new PackedObjects(files, layout, readSyncWhenFast);
  return {
    uploads: new PackedUploads({ ...ports, received: new ReceivedSegments(files, layout), syncWhenFast }),
    objects,
    calls: {
      deleteSegment: async (segment) => deleteSegment(ports, segment),
      listSegments: (olderThan, after) => listSegments(ports, olderThan, after),
      pack: (keys) => pack({ ...ports, objects }, keys),
      endUploads: (olderThan) => endUploads(ports, olderThan),
    },
  };
}
