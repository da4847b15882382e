import { isServiceFull } from '#client/faults.ts';
import { createSpeed, type Speed, standsStillAfter } from '../common/speed.ts';
import type { Item } from './item.ts';
import type { Phase, Progress } from './sending-types.ts';

const publishMilliseconds = 250;

interface ProgressPorts {
  readonly items: readonly Item[];
  /** Milliseconds that only grow. */
  readonly now: () => number;
  /** Calls back at an interval. The returned function stops it. */
  readonly every: (milliseconds: number, work: () => void) => () => void;
}

/** The phase of a package being sent, and its snapshots for the page: a few a second, however much happens. */
interface ProgressTracker {
  phase(): Phase;
  enter(next: Phase): void;
  /** The items have changed: they are shown with the next snapshot, or `at once`. */
  changed(when?: 'at once'): void;
  progress(): Progress;
  subscribe(listener: () => void): () => void;
  /** Stops the automatic snapshots. */
  stop(): void;
}

export function createProgress({ items, now, every }: ProgressPorts): ProgressTracker {
  const listeners = new Set<() => void>();
  const speed = createSpeed({ stillAfter: standsStillAfter });
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
    picture ??= { phase, version, ...tally(items, phase.kind === 'sending' ? speed : null) };
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

/** The totals over all items. */
function tally(items: readonly Item[], speed: Pick<Speed, 'perSecond' | 'secondsLeft'> | null): Omit<Progress, 'phase' | 'version'> {
  let [bytes, totalBytes, files, totalFiles, failed, missing] = [0, 0, 0, 0, 0, 0];
  let serviceFull = false;
  for (const item of items) {
    if (item.state === 'left_out') continue;
    bytes += item.sent;
    totalBytes += item.size;
    if (item.kind === 'file') totalFiles++;
    if (item.kind === 'file' && item.state === 'sent') files++;
    if (item.state === 'failed') failed++;
    if (item.state === 'missing') missing++;
    if (item.state !== 'sent' && isServiceFull(item.fault)) serviceFull = true;
  }
  // How long somebody takes to make room is not known.
  const told = serviceFull ? null : speed;
  const bytesPerSecond = told?.perSecond() ?? 0;
  const secondsLeft = told?.secondsLeft(totalBytes - bytes) ?? null;
  return { bytes, totalBytes, files, totalFiles, failed, missing, serviceFull, bytesPerSecond, secondsLeft };
}
