/**
 * What a transfer's time goes into. `reading` and `writing`: this machine's disk. `hashing`: digests. `network`: bytes on
 * their way. `limit`: a speed limit holds them back. `server`: an answer is due. `waiting`: nothing is under way, e.g.
 * until something is tried again, or because other transfers have their turn.
 */
export const causes = ['reading', 'hashing', 'writing', 'network', 'limit', 'server', 'waiting'] as const;
export type Cause = (typeof causes)[number];
/** What a piece of work can be busy with; `waiting` is what is left. */
export type Busy = Exclude<Cause, 'waiting'>;

/** Told by whatever moves bytes. A piece of work is a chunk, a range or a call; many are under way at once. */
export interface Timekeeper {
  /** A piece of work begins to be busy with something. */
  enter(cause: Busy): void;
  /** It goes on to something else. */
  move(from: Busy, to: Busy): void;
  leave(cause: Busy): void;
  /**
   * Whether to time this stretch of work that the thread does itself, a read or a digest, in which no other piece
   * moves either. One of many is timed and stands for the others: the clock is not asked for each.
   */
  sampled(): boolean;
  /** A sampled stretch took so long. Milliseconds. */
  took(cause: Busy, milliseconds: number): void;
  /** Milliseconds, only going forward. */
  clock(): number;
}

/** Where the time of one transfer has gone. Milliseconds; `elapsed` is the sum of the others. */
export type TimeSpent = Readonly<Record<Cause, number>> & {
  readonly elapsed: number;
  /** What most of the last seconds went into; `null` before there were any. */
  readonly slowest: Cause | null;
};

export interface TimeSplit extends Timekeeper {
  /** The transfer runs from now on. */
  begin(): void;
  end(): void;
  spent(): TimeSpent;
}

/** Of so many stretches one is timed. */
const oneOf = 16;
/** How long ago counts for half in `slowest`. Milliseconds. */
const halfLife = 5_000;

type Times = Record<Cause, number>;
const nothing = (): Times => ({ reading: 0, hashing: 0, writing: 0, network: 0, limit: 0, server: 0, waiting: 0 });

/**
 * Time passes between two changes, and is shared out by what the pieces were busy with meanwhile; first of all goes
 * what the thread spent on its own work, since nothing moved then. So the parts always sum to the time that passed.
 */
export function createTimeSplit(clock: () => number = () => performance.now()): TimeSplit {
  const busy = nothing();
  const total = nothing();
  const lately = nothing();
  /** Of the thread's own work, what is not yet taken from the time that passed. */
  const own = nothing();
  let pieces = 0;
  /** What a millisecond of the stretch that is shared out counts in `lately`: its beginning is longer ago than its end. */
  let weight = 1;
  let ownSum = 0;
  let last = 0;
  let running = false;
  let stretches = 0;

  function add(cause: Cause, milliseconds: number): void {
    total[cause] += milliseconds;
    lately[cause] += milliseconds * weight;
  }

  function advance(): void {
    const now = clock();
    const passed = now - last;
    if (passed <= 0) return;
    last = now;
    if (!running) return;
    const kept = 0.5 ** (passed / halfLife);
    for (const cause of causes) lately[cause] *= kept;
    weight = ((1 - kept) * halfLife) / (Math.LN2 * passed);
    let rest = passed;
    if (ownSum > 0) {
      const part = Math.min(1, passed / ownSum);
      for (const cause of causes) {
        if (own[cause] === 0) continue;
        add(cause, own[cause] * part);
        own[cause] *= 1 - part;
      }
      rest = Math.max(0, passed - ownSum);
      ownSum *= 1 - part;
    }
    if (pieces === 0) add('waiting', rest);
    else for (const cause of causes) if (busy[cause] > 0) add(cause, (rest * busy[cause]) / pieces);
  }

  return {
    enter(cause) {
      advance();
      busy[cause]++;
      pieces++;
    },
    move(from, to) {
      advance();
      busy[from]--;
      busy[to]++;
    },
    leave(cause) {
      advance();
      busy[cause]--;
      pieces--;
    },
    sampled: () => stretches++ % oneOf === 0,
    took(cause, milliseconds) {
      const whole = milliseconds * oneOf;
      own[cause] += whole;
      ownSum += whole;
    },
    clock,
    begin() {
      last = clock();
      running = true;
    },
    end() {
      advance();
      running = false;
    },
    spent() {
      advance();
      const parts = nothing();
      let elapsed = 0;
      let slowest: Cause | null = null;
      for (const cause of causes) {
        parts[cause] = Math.round(total[cause]);
        elapsed += parts[cause];
        if (lately[cause] > 0 && (slowest === null || lately[cause] > lately[slowest])) slowest = cause;
      }
      return { ...parts, elapsed, slowest };
    },
  };
}

/** Keeps no time. */
export const untimed: Timekeeper = {
  enter() {},
  move() {},
  leave() {},
  sampled: () => false,
  took() {},
  clock: () => 0,
};

/** Runs work as one piece that is busy with something. */
export async function busyWith<T>(times: Timekeeper, cause: Busy, work: () => Promise<T>): Promise<T> {
  times.enter(cause);
  try {
    return await work();
  } finally {
    times.leave(cause);
  }
}
