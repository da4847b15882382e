import type { Lists } from '../state/lists.ts';
import type { TransferRecord } from './record.ts';

interface LateSpeedPorts {
  readonly lists: Pick<Lists, 'page'>;
  readonly find: (id: string) => TransferRecord | null;
}

/** Uploads looked at. */
const looked = 20;
/** Smaller ones tell of round trips and not of the line: bytes, and milliseconds under way. */
const leastBytes = 5_000_000;
const leastMs = 500;

/**
 * How fast the last uploads went, in bytes a second: what they sent by the time in which work was under way, without
 * pauses and waiting. `null` where none tells.
 */
export function lateUploadSpeed({ lists, find }: LateSpeedPorts): number | null {
  let [bytes, milliseconds] = [0, 0];
  for (const id of lists.page({ kind: 'upload', state: ['complete'], sort: '-finished_at', page: 1, limit: looked })) {
    const record = find(id);
    const spent = record?.timeSpent;
    if (!record || !spent || record.totalBytes < leastBytes) continue;
    const working = spent.elapsed - spent.waiting;
    if (working < leastMs) continue;
    bytes += record.totalBytes;
    milliseconds += working;
  }
  return milliseconds === 0 ? null : (bytes / milliseconds) * 1_000;
}
