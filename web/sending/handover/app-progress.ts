import type { Handover } from '#protocol/hosted/handovers.ts';
import { createSpeed } from '../../common/speed.ts';
import type { Item } from '../item.ts';

/** How far an app is with what a page has handed over, in files and bytes. */
export interface AppProgress {
  readonly files: number;
  readonly totalFiles: number;
  readonly bytes: number;
  readonly totalBytes: number;
  readonly bytesPerSecond: number;
  readonly secondsLeft: number | null;
}

interface AppProgressPorts {
  readonly items: readonly Item[];
  /** In milliseconds. */
  readonly now: () => number;
}

/**
 * Follows an app by what the storage has confirmed. What was counted once stays so: between two answers a file may be
 * neither open nor finalized for the service.
 */
export function createAppProgress({ items, now }: AppProgressPorts) {
  const speed = createSpeed();
  const own = items.filter(({ state, kind }) => state !== 'left_out' && kind === 'file');
  const totalBytes = own.reduce((sum, { size }) => sum + size, 0);
  const sentByPage = own.reduce((sum, { sent }) => sum + sent, 0);
  let most: { files: number; bytes: number } | null = null;

  return {
    note({ files, bytes }: Handover): AppProgress {
      const seen = bytes.confirmed ?? bytes.finalized;
      // What the page had under way the app sends again. Where the service does not say what was confirmed, the page knows best.
      most ??= { files: 0, bytes: bytes.confirmed === undefined ? sentByPage : 0 };
      most = { files: Math.max(most.files, files.finalized), bytes: Math.min(totalBytes, Math.max(most.bytes, seen)) };
      speed.note(most.bytes, now());
      const left = totalBytes - most.bytes;
      return { ...most, totalFiles: own.length, totalBytes, bytesPerSecond: speed.perSecond(), secondsLeft: speed.secondsLeft(left) };
    },
  };
}
