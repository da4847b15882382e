import { backoffDelay, patient } from '#client/backoff.ts';
import type { Doubts } from '#client/damage.ts';
import { limits } from '#protocol/limits.ts';
import { createSpeed, standsStillAfter } from '../../common/speed.ts';
import { effectOf } from './faults.ts';
import type { FailedFile, Halt, SavePhase, SaveProgress, SaveTask } from './messages.ts';
import type { NotedFile } from './notes.ts';
import { planOf, type Target } from './plan.ts';
import { type FileJob, type FilePorts, saveFile } from './save-file.ts';
import { createFolders, type Folders } from './targets.ts';

interface SaverPorts extends Omit<FilePorts, 'folders'> {
  /** Whether the browser is online. */
  readonly online: () => boolean;
  readonly onProgress: (progress: SaveProgress) => void;
}

export interface Saver {
  /** Resolves when it is finished, paused or halted. */
  run(): Promise<void>;
  pause(): void;
  /** Reports the progress. */
  tell(): void;
}

/** Concurrency: files being saved at the same time. */
const concurrency = 5;

/** Saves a package. A failure of a single file does not stop the others. */
export async function createSaver(ports: SaverPorts, task: SaveTask): Promise<Saver> {
  const plan = planOf(task.records);
  const noted = await ports.notes.files(task.linkId);
  const speed = createSpeed({ stillAfter: standsStillAfter });
  const totalBytes = plan.targets.reduce((sum, { file }) => sum + (file.size ?? 0), 0);
  const done = new Set<Target>();
  const failed = new Map<Target, FailedFile>();
  /** Bytes of each file that have come, or were here already. */
  const counted = new Map<Target, number>();
  /** The most that was counted of each file: what was lost and comes again is no progress until it is past that. */
  const most = new Map<Target, number>();
  let bytes = 0;
  const damages = { times: 0 };
  /** Ranges with wrong bytes, for files that are retried. */
  const doubts = new Map<Target, Doubts>();
  const doubtsOf = (target: Target): Doubts => {
    const some = doubts.get(target) ?? new Map();
    doubts.set(target, some);
    return some;
  };
  const count = (target: Target, now: number): void => {
    counted.set(target, now);
    const before = most.get(target) ?? 0;
    if (now <= before) return;
    bytes += now - before;
    most.set(target, now);
  };
  /** It was damaged, and is deleted: it begins anew. */
  const uncount = (target: Target): void => {
    bytes -= most.get(target) ?? 0;
    most.delete(target);
    counted.delete(target);
  };
  for (const target of plan.targets) count(target, bytesNoted(target, noted.get(target.file.id)));
  let [unchecked, renamed, waiting] = [0, 0, 0];
  let halt: Halt | null = null;
  let stop = new AbortController();
  let running = false;

  function phase(): SavePhase {
    if (halt !== null) return { kind: 'halted', why: halt };
    if (done.size + failed.size === plan.targets.length && !running) return { kind: 'done' };
    if (!running || stop.signal.aborted) return { kind: 'paused' };
    return waiting > 0 && !ports.online() ? { kind: 'offline' } : { kind: 'saving' };
  }

  function tell(): void {
    const now = phase();
    if (now.kind === 'saving') speed.note(bytes, ports.now());
    else speed.reset();
    const bytesPerSecond = speed.perSecond();
    ports.onProgress({
      phase: now,
      bytes,
      totalBytes,
      files: done.size,
      totalFiles: plan.targets.length,
      bytesPerSecond,
      secondsLeft: now.kind === 'saving' ? speed.secondsLeft(totalBytes - bytes) : null,
      failed: [...failed.values()],
      unchecked,
      renamed,
      persistent: ports.notes.isPersistent(),
    });
  }

  function jobOf(target: Target, signal: AbortSignal): FileJob {
    const { id } = target.file;
    return {
      linkId: task.linkId,
      packageId: task.packageId,
      target,
      saved: noted.get(id) ?? null,
      signal,
      doubts: doubtsOf(target),
      onBytes: (some) => count(target, (counted.get(target) ?? 0) + some),
      onSaved(now) {
        if (now) return void noted.set(id, now);
        noted.delete(id);
        uncount(target);
      },
    };
  }

  /** Whether the chosen folder still exists. */
  async function stands(): Promise<boolean> {
    try {
      await task.folder.keys().next();
      return true;
    } catch (error) {
      return !(error instanceof DOMException && error.name === 'NotFoundError');
    }
  }

  /** Retries one file until it is saved or has failed permanently. Only a pause or a halt ends it earlier. */
  async function bring(target: Target, folders: Folders, signal: AbortSignal): Promise<void> {
    const { file } = target;
    const fail = (fault: FailedFile['fault'], message = ''): void => {
      failed.set(target, { path: [...target.folders, file.name].join('/'), fault, message });
    };
    if (file.virus_detected) return fail('virus');
    for (let failures = 1; ; failures++) {
      count(target, 0);
      try {
        const saved = await saveFile({ ...ports, folders, damages }, jobOf(target, signal));
        done.add(target);
        doubts.delete(target);
        if (!saved.checked) unchecked++;
        if (saved.renamed) renamed++;
        return;
      } catch (error) {
        count(target, bytesNoted(target, noted.get(file.id)));
        if (signal.aborted) return;
        const found = effectOf(error);
        if (found.kind === 'file') {
          if (await stands()) return fail(found.fault, found.message);
          halt = 'gone';
          return stop.abort();
        }
        if (found.kind === 'halt') {
          halt = found.why;
          return stop.abort();
        }
        waiting++;
        tell();
        const wait = found.seconds === null ? backoffDelay(failures, ports.random, patient) : found.seconds * 1_000;
        await ports.sleep(wait, signal).catch(() => undefined);
        waiting--;
        if (signal.aborted) return;
      }
    }
  }

  return {
    async run() {
      if (running) return;
      halt = null;
      failed.clear();
      stop = new AbortController();
      running = true;
      tell();
      const { signal } = stop;
      try {
        const folders = createFolders(task.folder);
        for (const folder of plan.emptyFolders) await folders(folder);
        const rest = plan.targets.filter((target) => !done.has(target)).values();
        const worker = async (): Promise<void> => {
          for (const target of rest) {
            if (signal.aborted) return;
            await bring(target, folders, signal);
          }
        };
        await Promise.all(Array.from({ length: concurrency }, worker));
      } catch (error) {
        const found = effectOf(error);
        halt = found.kind === 'halt' ? found.why : 'gone';
      } finally {
        running = false;
        // A file with a virus is never saved, so there is no retry.
        const over = failed.values().every(({ fault }) => fault === 'virus');
        if (phase().kind === 'done' && over) await ports.notes.drop(task.linkId);
        tell();
      }
    },
    pause: () => stop.abort(),
    tell,
  };
}

function bytesNoted({ file }: Target, noted: NotedFile | undefined): number {
  if (!noted) return 0;
  if (noted.whole) return noted.whole.size;
  const size = file.size ?? 0;
  const step = file.chunk_size || limits.defaultChunkSize;
  return noted.ranges.keys().reduce((sum, index) => sum + Math.max(0, Math.min(step, size - index * step)), 0);
}
