import { createSpeed } from '#web/common/speed.ts';
import type { Item } from './item.ts';
import type { Phase, Progress } from './sending-types.ts';

const publishMilliseconds = 250;

export interface ProgressPorts {
  readonly items: readonly Item[];
  /** Milliseconds that only grow. */
  readonly now: () => number;
  /** Calls back until it is told to stop. */
  readonly every: (milliseconds: number, work: () => void) => () => void;
}

/** The phase of a package on its way, and the pictures that a page draws of it: some a second, however much happens. */
export interface ProgressBook {
  phase(): Phase;
  enter(next: Phase): void;
  /** Something of the items has changed: the next picture shows it, `at once` or in its time. */
  changed(when?: 'at once'): void;
  progress(): Progress;
  subscribe(listener: () => void): () => void;
  /** No picture is made by itself any more. */
  stop(): void;
}

export function createProgress({ items, now, every }: ProgressPorts): ProgressBook {
  const listeners = new Set<() => void>();
  const speed = createSpeed();
  let phase: Phase = { kind: 'paused' };
  let dirty = true;
  let version = 0;
  let picture: Progress | null = null;
  let stopTicks: (() => void) | null = null;

  function publish(): void {
    if (!dirty) return;
    dirty = false;
    version++;
    picture = null;
    for (const listener of listeners) listener();
  }

  function changed(when?: 'at once'): void {
    dirty = true;
    if (when) publish();
  }

  function progress(): Progress {
    picture ??= { phase, version, ...tally(items, phase.kind === 'sending' ? speed.perSecond() : 0) };
    return picture;
  }

  function tick(): void {
    if (phase.kind === 'sending') {
      speed.note(progress().bytes, now());
      dirty = true;
    }
    publish();
  }

  function stop(): void {
    stopTicks?.();
    stopTicks = null;
  }

  return {
    phase: () => phase,
    enter(next) {
      phase = next;
      if (next.kind !== 'sending') speed.reset();
      const moves = next.kind === 'sending' || next.kind === 'offline' || next.kind === 'closing';
      if (!moves) stop();
      else stopTicks ??= every(publishMilliseconds, tick);
      changed('at once');
    },
    changed,
    progress,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop,
  };
}

/** What stands of all that is to go. */
export function tally(items: readonly Item[], bytesPerSecond: number): Omit<Progress, 'phase' | 'version'> {
  let [bytes, totalBytes, files, totalFiles, failed, missing] = [0, 0, 0, 0, 0, 0];
  for (const item of items) {
    if (item.state === 'left_out') continue;
    bytes += item.sent;
    totalBytes += item.size;
    if (item.kind === 'file') totalFiles++;
    if (item.kind === 'file' && item.state === 'sent') files++;
    if (item.state === 'failed') failed++;
    if (item.state === 'missing') missing++;
  }
  const secondsLeft = bytesPerSecond > 0 ? (totalBytes - bytes) / bytesPerSecond : null;
  return { bytes, totalBytes, files, totalFiles, failed, missing, bytesPerSecond, secondsLeft };
}
