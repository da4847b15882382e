import type { Clock } from '../ports.ts';

/** Publishes the progress of transfers in which something moves, together and not too often. */
interface ProgressTicker {
  /** Something of it moved: it is published at the next tick. */
  touch(id: string): void;
  forget(id: string): void;
}

interface ProgressTickerPorts {
  readonly clock: Clock;
  /** @param saves whether their records are to be saved too */
  readonly publish: (ids: readonly string[], saves: boolean) => void;
  /** Called after each tick; what it returns is published at the next one too. */
  readonly stillMoving: () => Iterable<string>;
}

/** Milliseconds between two progress events of a transfer. */
const tickMs = 400;
/** Records are saved at every n-th event, with all their progress; what was shown in between is in a table of its own. */
const ticksPerSave = 5;

export function createProgressTicker({ clock, publish, stillMoving }: ProgressTickerPorts): ProgressTicker {
  const moving = new Set<string>();
  let ticks = 0;
  let scheduled = false;

  const tick = (): void => {
    scheduled = false;
    const saves = ++ticks % ticksPerSave === 0;
    const ids = [...moving];
    moving.clear();
    publish(ids, saves);
    for (const id of stillMoving()) touch(id);
  };

  const touch = (id: string): void => {
    moving.add(id);
    if (scheduled) return;
    scheduled = true;
    clock.after(tickMs, tick);
  };

  return { touch, forget: (id) => void moving.delete(id) };
}
