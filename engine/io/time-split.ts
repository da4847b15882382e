/**
 * What a transfer's time goes into. `reading` and `writing`: this machine's disk. `hashing`: digests. `network`: bytes
 * on the network. `limit`: delayed by a speed limit. `server`: an answer is due. `waiting`: nothing is in progress,
 * e.g. during backoff, or because other transfers have their turn.
 */
export const causes = ['reading', 'hashing', 'writing', 'network', 'limit', 'server', 'waiting'] as const;
type Cause = (typeof causes)[number];
/** What a piece of work can be busy with; `waiting` is the remaining time. */
export type Busy = Exclude<Cause, 'waiting'>;

/**
 * Receives reports from all code that moves bytes. A piece of work is a chunk, a range or a call; many are in progress
 * at once.
 */
export interface Timekeeper {
  /** A piece of work begins with this cause. */
  enter(cause: Busy): void;
  /** A piece of work changes its cause. */
  move(from: Busy, to: Busy): void;
  leave(cause: Busy): void;
  /**
   * Whether to time this stretch of work on the thread itself, a read or a digest, during which no other piece moves.
   * Only a sample is timed and represents the others, to avoid reading the clock for each.
   */
  sampled(): boolean;
  /** Duration of a sampled stretch. Milliseconds. */
  took(cause: Busy, milliseconds: number): void;
  /** Monotonic, in milliseconds. */
  clock(): number;
}

/** The time of one transfer by cause. Milliseconds; `elapsed` is the sum of the others. */
export type TimeSpent = Readonly<Record<Cause, number>> & {
  readonly elapsed: number;
  /** The main cause in the last seconds; `null` at the beginning. */
  readonly slowest: Cause | null;
};

export interface TimeSplit extends Timekeeper {
  /** The transfer starts now. */
  begin(): void;
  end(): void;
  spent(): TimeSpent;
}

/** One of this many stretches is timed. */
const oneOf = 16;
/** Milliseconds. Shorter times are added to the next cause, because small files change their cause all the time. */
const shortest = 0.1;
/** `slowest` covers this period, or up to twice as long. Milliseconds. */
const lately = 5_000;

const places: Readonly<Record<Cause, number>> = { reading: 0, hashing: 1, writing: 2, network: 3, limit: 4, server: 5, waiting: 6 };
const nothing = (): Float64Array => new Float64Array(causes.length);

/**
 * The time between two changes is shared among the causes of the active pieces. The thread's own work is subtracted
 * first, since nothing else moved then. So the parts always sum to the elapsed time. It continues from `earlier`, the
 * totals of an earlier run.
 */
export function createTimeSplit(clock: () => number = () => performance.now(), earlier?: TimeSpent): TimeSplit {
  const busy = nothing();
  const total = earlier ? Float64Array.from(causes, (cause) => earlier[cause]) : nothing();
  /** Time of the thread's own work that is not yet subtracted from the elapsed time. */
  const own = nothing();
  /** `total` at the end of the last period, and of the one before. */
  let recent = total.slice();
  let older = recent;
  let recentAt = 0;
  let pieces = 0;
  let ownSum = 0;
  let last = 0;
  let running = false;
  let stretches = 0;

  function advance(least: number): void {
    const now = clock();
    const passed = now - last;
    if (passed < least) return;
    last = now;
    if (!running || passed <= 0) return;
    let rest = passed;
    if (ownSum > 0) rest -= takeOwn(passed);
    if (pieces === 0) total[places.waiting]! += rest;
    else {
      const each = rest / pieces;
      for (let index = 0; index < places.waiting; index++) if (busy[index]! > 0) total[index]! += each * busy[index]!;
    }
    if (now - recentAt < lately) return;
    older = recent;
    recent = total.slice();
    recentAt = now;
  }

  /** Assigns the thread's own time, up to the elapsed time; returns how much that was. */
  function takeOwn(passed: number): number {
    const taken = Math.min(passed, ownSum);
    const part = taken / ownSum;
    for (let index = 0; index < own.length; index++) {
      total[index]! += own[index]! * part;
      own[index]! *= 1 - part;
    }
    ownSum -= taken;
    return taken;
  }

  return {
    enter(cause) {
      advance(shortest);
      busy[places[cause]]!++;
      pieces++;
    },
    move(from, to) {
      advance(shortest);
      busy[places[from]]!--;
      busy[places[to]]!++;
    },
    leave(cause) {
      advance(shortest);
      busy[places[cause]]!--;
      pieces--;
    },
    sampled: () => stretches++ % oneOf === 0,
    took(cause, milliseconds) {
      const whole = milliseconds * oneOf;
      own[places[cause]]! += whole;
      ownSum += whole;
    },
    clock,
    begin() {
      last = clock();
      recentAt = last;
      running = true;
    },
    end() {
      advance(0);
      running = false;
    },
    spent() {
      advance(0);
      const parts: Record<Cause, number> = { reading: 0, hashing: 0, writing: 0, network: 0, limit: 0, server: 0, waiting: 0 };
      let elapsed = 0;
      let slowest: Cause | null = null;
      let most = 0;
      for (const cause of causes) {
        const index = places[cause];
        parts[cause] = Math.round(total[index]!);
        elapsed += parts[cause];
        if (total[index]! - older[index]! <= most) continue;
        most = total[index]! - older[index]!;
        slowest = cause;
      }
      return { ...parts, elapsed, slowest };
    },
  };
}

/** Records no time. */
export const untimed: Timekeeper = {
  enter() {},
  move() {},
  leave() {},
  sampled: () => false,
  took() {},
  clock: () => 0,
};

/** Runs work as one piece with this cause. */
export async function busyWith<T>(times: Timekeeper, cause: Busy, work: () => Promise<T>): Promise<T> {
  times.enter(cause);
  try {
    return await work();
  } finally {
    times.leave(cause);
  }
}
