import type { BackupProgress, OnProgress } from './ports.ts';

/** The speed is that of so many milliseconds. */
const windowMilliseconds = 15_000;
const tellEvery = 250;

export interface Meter {
  /** A new phase; counts begin at 0. Sizes in bytes. */
  begin(phase: BackupProgress['phase'], total: { readonly objects: number; readonly bytes: number }): void;
  /** Bytes that are done. Those that were there already are not counted into the speed. */
  moved(bytes: number, worked?: boolean): void;
  finished(objects: number): void;
}

/** Tells how far it is, a few times a second. `now` in milliseconds. */
export function createMeter(tell: OnProgress, now: () => number = () => performance.now()): Meter {
  let phase: BackupProgress['phase'] = 'objects';
  let total = { objects: 0, bytes: 0 };
  let [objects, bytes, worked] = [0, 0, 0];
  let marks: { at: number; worked: number }[] = [];
  let toldAt = Number.NEGATIVE_INFINITY;

  const show = (force = false) => {
    const at = now();
    if (!force && at - toldAt < tellEvery) return;
    toldAt = at;
    marks.push({ at, worked });
    while (marks.length > 2 && at - marks[0]!.at > windowMilliseconds) marks.shift();
    const first = marks[0]!;
    const seconds = (at - first.at) / 1000;
    const bytesPerSecond = seconds > 0 ? (worked - first.worked) / seconds : 0;
    const left = Math.max(0, total.bytes - bytes);
    tell({
      ...{ phase, objects, bytes, totalObjects: total.objects, totalBytes: total.bytes, bytesPerSecond },
      secondsLeft: total.bytes > 0 && bytesPerSecond > 0 ? left / bytesPerSecond : null,
    });
  };
  return {
    begin(next, totals) {
      [phase, total, objects, bytes, worked, marks] = [next, totals, 0, 0, 0, []];
      show(true);
    },
    moved(count, isWork = true) {
      bytes += count;
      if (isWork) worked += count;
      show();
    },
    finished(count) {
      objects += count;
      show();
    },
  };
}
