import pLimit from 'p-limit';
import { chunksAtOnce } from './sending.ts';
import { createWorkers } from './workers.ts';

const hashersAtMost = 3;

/**
 * Shared by everything that this page sends: digest workers, started on first use, and a limit on concurrent requests.
 */
export const shared = {
  workers: createWorkers(
    () => new Worker(new URL('./hash-worker.ts', import.meta.url), { type: 'module' }),
    Math.min(hashersAtMost, Math.max(1, (navigator.hardwareConcurrency || 2) - 1)),
  ),
  gate: pLimit(chunksAtOnce),
} as const;
