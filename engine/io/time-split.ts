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
/** Milliseconds. Shorter times go to what comes next: many small files change what they are busy with all the time. */
const shortest = 0.1;
/** `slowest` looks back over so long, or up to twice as long. Milliseconds. */
const lately = 5_000;

const places: Readonly<Record<Cause, number>> = { reading: 0, hashing: 1, writing: 2, network: 3, limit: 4, server: 5, waiting: 6 };
const nothing = (): Float64Array => new Float64Array(causes.length);

/**
 * Time passes between two changes, and is shared out by what the pieces were busy with meanwhile; first of all goes
 * what the thread spent on its own work, since nothing moved then. So the parts always sum to the time that passed.
 * It goes on from `earlier`, what an earlier run has come to.
 */
export function createTimeSplit(clock: () => number = () => performance.now(), earlier?: TimeSpent): TimeSplit {
  const busy = nothing();
  const total = earlier ? Float64Array.from(causes, (cause) => earlier[cause]) : nothing();
  /** Of the thread's own work, what is not yet taken from the time that passed. */
  const own = nothing();
  /** What `total` was a while ago, and a while before that. */
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
      for (let place = 0; place < places.waiting; place++) if (busy[place]! > 0) total[place]! += each * busy[place]!;
    }
    if (now - recentAt < lately) return;
    older = recent;
    recent = total.slice();
    recentAt = now;
  }

  /** Shares out what the thread spent itself, as far as that much time has passed; gives how much it was. */
  function takeOwn(passed: number): number {
    const taken = Math.min(passed, ownSum);
    const part = taken / ownSum;
    for (let place = 0; place < own.length; place++) {
      total[place]! += own[place]! * part;
      own[place]! *= 1 - part;
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
        const place = places[cause];
        parts[cause] = Math.round(total[place]!);
        elapsed += parts[cause];
        if (total[place]! - older[place]! <= most) continue;
        most = total[place]! - older[place]!;
        slowest = cause;
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
