import { createTimeSplit, type TimeSplit } from '../io/time-split.ts';
import { createMeter } from './progress.ts';
import type { FileRecord } from './record.ts';
import type { Waiting } from './states.ts';

/** What is going on in one running transfer, in memory only. */
export interface Activity {
  /** Bytes and files that are through; what is under way counts as it goes. */
  readonly bytes: number;
  readonly files: number;
  speed(now: number): number;
  secondsLeft(remaining: number, now: number): number | null;
  /** Set while everything under way waits; the soonest to go on speaks. */
  waiting(): Waiting | null;
  /** Bytes of a file that is under way; `null` when it is not. */
  fileBytes(id: number): number | null;
  /** Where its time goes. */
  readonly times: TimeSplit;
  /** A piece of work begins; it ends by the answer being called. */
  begin(): () => void;
  /** A piece of work waits until the answer is called. */
  wait(waiting: Waiting): () => void;
  /** A file begins, `already` bytes of it being through (they are counted in `bytes`). */
  beginFile(file: FileRecord, already: number): FileActivity;
  /** Small files begin that are worked on together; nothing of them is through. */
  beginFiles(files: readonly FileRecord[]): FilesActivity;
}

/** Of files that go together only the sum is followed; each counts whole once it is through. */
export interface FilesActivity {
  /** So many more bytes of them went through. */
  add(count: number): void;
  /** This one is complete. */
  complete(file: FileRecord): void;
  /** All is over for now: what is complete still counts, and `kept` bytes of the others. */
  stop(kept: number): void;
}

export interface FileActivity {
  /** An attempt begins; it counts from 0. */
  begin(): void;
  /** More bytes went through; fewer after something failed. */
  add(count: number): void;
  /** True once since the last asking where bytes moved in between. */
  moved(): boolean;
  /** Complete: its whole size counts. */
  complete(): void;
  /** Over for now: only `kept` bytes still count. */
  stop(kept: number): void;
}

export interface ActivityStart {
  readonly bytes: number;
  readonly files: number;
  readonly now: () => number;
  /** Something changed that is worth showing. */
  readonly changed: () => void;
  /** One that earlier runs have kept; by default a new one. */
  readonly times?: TimeSplit;
}

export function createActivity({ bytes, files, now, changed, times = createTimeSplit() }: ActivityStart): Activity {
  const meter = createMeter();
  const underWay = new Map<number, number>();
  const waits = new Set<Waiting>();
  let totalBytes = bytes;
  let totalFiles = files;
  let working = 0;

  return {
    get bytes() {
      return Math.max(0, totalBytes);
    },
    get files() {
      return totalFiles;
    },
    speed: (at) => meter.speed(at),
    secondsLeft: (remaining, at) => meter.secondsLeft(remaining, at),
    waiting() {
      if (waits.size === 0 || waits.size < working) return null;
      let soonest: Waiting | null = null;
      for (const wait of waits) if (!soonest || (wait.until ?? Infinity) < (soonest.until ?? Infinity)) soonest = wait;
      return soonest;
    },
    times,
    fileBytes: (id) => underWay.get(id) ?? null,
    begin() {
      working++;
      return () => {
        working--;
      };
    },
    wait(waiting) {
      waits.add(waiting);
      changed();
      return () => {
        waits.delete(waiting);
        changed();
      };
    },
    beginFile(file, already) {
      let counted = already;
      // Each attempt counts from 0 and first takes over what earlier ones got through: no news until it is past that.
      let run = 0;
      let base = already;
      let moved = false;
      underWay.set(file.id, already);
      const set = (value: number): void => {
        totalBytes += value - counted;
        counted = value;
        underWay.set(file.id, value);
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
          meter.add(value - counted, now());
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
          underWay.delete(file.id);
        },
        stop(kept) {
          set(kept);
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
        meter.add(count, now());
        changed();
      };
      return {
        add,
        complete({ id, size }) {
          complete += size;
          totalFiles++;
          underWay.delete(id);
          // What is through was counted as it went, if perhaps with another one's name.
          if (counted < complete) add(complete - counted);
          else changed();
        },
        stop(kept) {
          for (const { id } of files) underWay.delete(id);
          add(complete + kept - counted);
        },
      };
    },
  };
}
