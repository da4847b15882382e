import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { startLongshore } from './longshore.ts';

/** Whether the agent's memory grows with the file: the same agent moves ever larger ones, up and down. */

export interface Growth {
  readonly bytes: number;
  readonly up: { readonly peakBytes: number; readonly seconds: number };
  readonly down: { readonly peakBytes: number; readonly seconds: number };
}

const mebi = 1024 * 1024;
const usual = [256 * mebi, 1_024 * mebi] as const;
export const growthSizes = { usual, huge: [...usual, 4_096 * mebi, 20_480 * mebi] } as const;

interface GrowthOptions {
  readonly sizes: readonly number[];
  /** A fresh folder on a disk that holds twice the largest size. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

export async function measureGrowth({ sizes, folder, signal, say }: GrowthOptions): Promise<Growth[]> {
  const { bavail, bsize } = statfsSync(folder);
  const needed = Math.max(...sizes) * 2.1;
  if (bavail * bsize < needed)
    throw new Error(`${Math.ceil(needed / 1e9)} GB must be free to measure the agent's memory; give a larger disk by --scratch.`);
  const longshore = await startLongshore({ folder, profile: null, signal });
  try {
    const found: Growth[] = [];
    for (const bytes of sizes) {
      const source = sparseFile(join(folder, 'source.bin'), bytes);
      const into = join(folder, 'into');
      mkdirSync(into);
      const { sample: up, url } = await longshore.upload(source);
      const down = await longshore.download(url, into);
      longshore.emptyStorage();
      rmSync(into, { recursive: true, force: true });
      rmSync(source);
      found.push({ bytes, up, down });
      say(`${bytes / mebi} MiB: up ${Math.round(up.peakBytes / 1e6)} MB, down ${Math.round(down.peakBytes / 1e6)} MB at most`);
    }
    return found;
  } finally {
    await longshore.stop();
  }
}

/** Zeros that take no room: only what is received is really written. */
function sparseFile(path: string, bytes: number): string {
  const descriptor = openSync(path, 'wx');
  try {
    ftruncateSync(descriptor, bytes);
  } finally {
    closeSync(descriptor);
  }
  return path;
}
