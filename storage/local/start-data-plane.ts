import type { FileSystem } from '#filesystem/port.ts';
import { createDataPlane } from './data-plane.ts';
import { createDisk } from './disk.ts';
import { filesFor } from './group-readable.ts';
import { layoutOf } from './layout.ts';
import { type Listening, listenForData } from './listen.ts';
import { createStorageTracer, type StorageTracing } from './tracing/storage-tracing.ts';
import { LocalUploads } from './uploads.ts';
import type { DataPlaneSettings } from './worker-messages.ts';

interface DataPlaneEnvironment {
  /** By default the real disks. */
  readonly files?: FileSystem;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onTrouble: (error: Error) => void;
  readonly onSpans: StorageTracing['onSpans'];
}

export interface RunningDataPlane extends Listening {
  /** Registers folders of new, empty uploads that were made by another thread, before anybody has their addresses. */
  uploadsStarted(folders: readonly string[]): void;
}

/** Builds a data plane and listens, in the current thread. */
export async function startDataPlane(
  settings: DataPlaneSettings,
  { files = filesFor(settings.accel), onSpans, ...surroundings }: DataPlaneEnvironment,
): Promise<RunningDataPlane> {
  const layout = layoutOf(settings.root);
  const uploads = new LocalUploads(layout, createDisk(files));
  const tracing = settings.traceRatio === undefined ? null : createStorageTracer({ ratio: settings.traceRatio, onSpans });
  const plane = createDataPlane({ ...settings, ...surroundings, files, layout, uploads, tracer: tracing?.tracer ?? null });
  const listening = await listenForData(plane, settings);
  return {
    ...listening,
    uploadsStarted: plane.uploadsStarted,
    async close(drainMilliseconds) {
      await listening.close(drainMilliseconds);
      tracing?.flush();
    },
  };
}
