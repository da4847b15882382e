import { createTimeSplit, type TimeSplit } from '../io/time-split.ts';
import { createMeter } from './progress.ts';
import type { FileRecord } from './record.ts';
import type { Waiting } from './state-machine.ts';

/** Live progress of one running transfer. In memory only. */
export interface Activity {
  /**
   * Bytes that are done; those in flight are counted as they move. Never less than before, but after `recount` and
   * `goBack`: while what was lost on its way moves again, it stands still.
   */
  readonly bytes: number;
  readonly files: number;
  /** What is shown of both: as at the last call of `show`. It is committed first, so an agent that was killed shows no less. */
  readonly shown: { readonly bytes: number; readonly files: number };
  show(): void;
  speed(now: number): number;
  secondsLeft(remaining: number, now: number): number | null;
  /**
   * Set while all work waits (the wait that ends first is shown), or while something is retried and no bytes move: where
   * nobody answers as soon as none has moved since, else once the speed is 0.
   */
  waiting(): Waiting | null;
  /** Bytes of a file in progress; `null` when it is not in progress. */
  fileBytes(id: number): number | null;
  /** Whether nothing has moved since it began, or since its last wait. */
  readonly starting: boolean;
  /** Whether it was stopped, and only nearly finished work is completed. */
  readonly finishing: boolean;
  /** Marks it as stopped: nearly finished work is completed until `unfollow`. */
  finish(): void;
  /** Time by cause. */
  readonly times: TimeSplit;
  /** Begins a piece of work; call the returned function when it ends. */
  begin(): () => void;
  /** Marks a piece of work as waiting; call the returned function when the wait ends. */
  wait(waiting: Waiting): () => void;
  /** Marks a failure that is being retried; call the returned function when it is over. */
  trouble(waiting: Waiting): () => void;
  /** Begins a file of which `already` bytes are done (they are already counted in `bytes`). */
  beginFile(file: FileRecord, already: number): FileActivity;
  /**
   * Resets the counts to those of the files table, when files that were done no longer are. Only while no file is in
   * progress.
   */
  recount(through: { readonly bytes: number; readonly files: number }): void;
  /** What was done is thrown away, as of a file that begins again: `bytes` goes back to what counts. */
  goBack(): void;
  /** Begins a batch of small files, none of which has progress yet. */
  beginFiles(files: readonly FileRecord[]): FilesActivity;
}

/** Progress of a batch: only the sum of bytes is tracked; each file counts in full once it is complete. */
export interface FilesActivity {
  /** More bytes of the batch moved. */
  add(count: number): void;
  /** This one is complete. */
  complete(file: FileRecord): void;
  /** Ends the batch: complete files still count, and `doneBytes` of the others. */
  stop(doneBytes: number): void;
}

interface FileActivity {
  /** Begins an attempt, whose bytes count from 0. */
  begin(): void;
  /** More bytes moved; a negative count after a failure. */
  add(count: number): void;
  /** Whether bytes moved since the last call. */
  moved(): boolean;
  /** The file is complete: its whole size counts. */
  complete(): void;
  /** Ends the file for now: only `doneBytes` still count. */
  stop(doneBytes: number): void;
}

interface ActivityStart {
  /** What counts of earlier runs. */
  readonly bytes: number;
  /** What was shown of earlier runs, which may be more. */
  readonly atLeast?: number;
  readonly files: number;
  readonly now: () => number;
  /** Something changed that is worth showing. */
  readonly changed: () => void;
  /** Time by cause of earlier runs; a new one by default. */
  readonly times?: TimeSplit;
}

const isUnanswered = ({ advice }: Waiting): boolean => advice?.cause === 'unreachable' || advice?.cause === 'service_unreachable';

/** The one that ends first. */
function soonestOf(waits: Iterable<Waiting>): Waiting | null {
  let soonest: Waiting | null = null;
  for (const wait of waits) if (!soonest || (wait.until ?? Infinity) < (soonest.until ?? Infinity)) soonest = wait;
  return soonest;
}

export function createActivity({ bytes, atLeast = 0, files, now, changed, times = createTimeSplit() }: ActivityStart): Activity {
  const meter = createMeter();
  const underWay = new Map<number, number>();
  const waits = new Set<Waiting>();
  const troubles = new Set<Waiting>();
  /** Where nobody answers. Emptied by the next bytes, as then somebody does. */
  const unanswered = new Set<Waiting>();
  let totalBytes = bytes;
  let most = Math.max(atLeast, bytes);
  let totalFiles = files;
  let shown = { bytes: most, files };
  let working = 0;
  let finishing = false;
  let starting = true;

  const bytesNow = (): number => {
    most = Math.max(most, totalBytes);
    return most;
  };
  const move = (count: number): void => {
    if (count > 0) {
      unanswered.clear();
      starting = false;
    }
    meter.add(count, now());
  };
  const hold = (reasons: Set<Waiting>, waiting: Waiting): (() => void) => {
    reasons.add(waiting);
    if (isUnanswered(waiting)) unanswered.add(waiting);
    changed();
    return () => {
      unanswered.delete(waiting);
      if (!reasons.delete(waiting)) return;
      starting ||= meter.speed(now()) === 0;
      changed();
    };
  };

  return {
    get bytes() {
      return bytesNow();
    },
    get files() {
      return totalFiles;
    },
    get shown() {
      return shown;
    },
    show() {
      shown = { bytes: bytesNow(), files: totalFiles };
    },
    // What was counted and is sent again is taken back.
    speed: (at) => Math.max(0, meter.speed(at)),
    secondsLeft: (remaining, at) => meter.secondsLeft(remaining, at),
    waiting() {
      if (waits.size > 0 && waits.size >= working) return soonestOf(waits);
      if (unanswered.size > 0) return soonestOf(unanswered);
      return meter.speed(now()) > 0 ? null : ([...troubles].at(-1) ?? null);
    },
    get starting() {
      return starting;
    },
    get finishing() {
      return finishing;
    },
    finish() {
      finishing = true;
      changed();
    },
    times,
    fileBytes: (id) => underWay.get(id) ?? null,
    begin() {
      working++;
      return () => {
        working--;
      };
    },
    wait: (waiting) => hold(waits, waiting),
    trouble: (waiting) => hold(troubles, waiting),
    recount(through) {
      totalBytes = through.bytes;
      most = totalBytes;
      totalFiles = through.files;
      changed();
    },
    goBack() {
      most = Math.max(0, totalBytes);
      changed();
    },
    beginFile(file, already) {
      let counted = already;
      // Each attempt counts from 0 and first repeats what earlier attempts moved; it is no progress until it is past
      // that.
      let run = 0;
      let base = already;
      let moved = false;
      underWay.set(file.id, already);
      const set = (value: number): void => {
        totalBytes += value - counted;
        counted = value;
        underWay.set(file.id, Math.max(value, underWay.get(file.id) ?? 0));
        changed();
      };
      return {
        begin() {
          run = 0;
          base = counted;
        },
        add(count) {
          run += count;
          if (run >= base) base = 0;
          else if (count < 0) base = Math.max(0, base + count);
          const value = Math.min(file.size, Math.max(0, run, base));
          if (value === counted) return;
          moved ||= value > counted;
          move(value - counted);
          set(value);
        },
        moved() {
          const answer = moved;
          moved = false;
          return answer;
        },
        complete() {
          set(file.size);
          totalFiles++;
          starting = false;
          underWay.delete(file.id);
        },
        stop(doneBytes) {
          set(doneBytes);
          underWay.delete(file.id);
        },
      };
    },
    beginFiles(files) {
      let counted = 0;
      let complete = 0;
      for (const { id } of files) underWay.set(id, 0);
      const add = (count: number): void => {
        if (count === 0) return;
        counted += count;
        totalBytes += count;
        move(count);
        changed();
      };
      return {
        add,
        complete({ id, size }) {
          complete += size;
          totalFiles++;
          starting = false;
          underWay.delete(id);
          // These bytes were counted while they moved, possibly for another file of the batch.
          if (counted < complete) add(complete - counted);
          else changed();
        },
        stop(doneBytes) {
          for (const { id } of files) underWay.delete(id);
          add(complete + doneBytes - counted);
        },
      };
    },
  };
}
