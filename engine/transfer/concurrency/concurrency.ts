import { chunksPerTransfer } from './limits.ts';

/**
 * Adaptive concurrency of a transfer's large chunks, as pure arithmetic on periodic samples. More connections help if
 * each is limited by itself (a long round trip, a throttled sender); otherwise they only cost memory and scheduling.
 */
export interface ConcurrencyState {
  readonly limit: number;
  readonly phase: /** Unchanged for this number of samples. */
    | { readonly name: 'hold'; readonly samples: number }
    /** The concurrency was raised; a later sample judges the result. */
    | { readonly name: 'try'; readonly samples: number; readonly from: number; readonly before: number };
  /** Cooldown in samples after a raise that gained nothing; it doubles, since the next raise will hardly gain either. */
  readonly cooldown: number;
  /** Slow start: as long as each raise was worthwhile the next one doubles. Samples are shorter meanwhile. */
  readonly slowStart: boolean;
}

/** What happened since the last sample. */
export interface Sample {
  readonly bytesPerSecond: number;
  /** Chunks that failed because of the network or the storage. */
  readonly failures: number;
  /** Whether more chunks waited for a connection: without them, one more connection would be idle. */
  readonly wanted: boolean;
  /** Whether these connections use all of a speed limit: one more would only share it. */
  readonly full?: boolean;
}

const minCooldown = 4;
const maxCooldown = 64;
/** New connections start slowly: the first sample after a raise says nothing. */
const samplesPerTry = 2;
/** Share of the ideal gain (each new connection as fast as the old ones) that makes a raise worthwhile. */
const worthwhile = 0.4;

export const initialState: ConcurrencyState = {
  limit: chunksPerTransfer.initial,
  phase: { name: 'hold', samples: 2 },
  cooldown: minCooldown,
  slowStart: false,
};

/** On a far line a transfer of seconds would be over before single steps have found what it can have. */
export const initialStateWhenFar: ConcurrencyState = { ...initialState, limit: chunksPerTransfer.initialWhenFar, slowStart: true };

export const initialStateWhenThrottled: ConcurrencyState = { ...initialState, limit: chunksPerTransfer.initialWhenThrottled };

const hold = (limit: number, samples: number, cooldown: number): ConcurrencyState => ({
  limit,
  phase: { name: 'hold', samples },
  cooldown,
  slowStart: false,
});

function raise(limit: number, before: number, cooldown: number, slowStart: boolean): ConcurrencyState {
  const next = Math.min(chunksPerTransfer.max, limit + (slowStart ? limit : Math.max(1, Math.floor(limit / 2))));
  if (next === limit) return hold(limit, maxCooldown, cooldown);
  return { limit: next, phase: { name: 'try', samples: samplesPerTry, from: limit, before }, cooldown, slowStart };
}

/** The concurrency after a sample. */
export function nextConcurrency(state: ConcurrencyState, { bytesPerSecond, failures, wanted, full = false }: Sample): ConcurrencyState {
  const { limit, phase, cooldown, slowStart } = state;
  if (failures > 0) return hold(Math.max(1, Math.floor(limit / 2)), minCooldown, minCooldown);
  if (!wanted || full || bytesPerSecond === 0) return phase.name === 'try' ? hold(phase.from, 1, cooldown) : state;
  if (phase.samples > 1) return { ...state, phase: { ...phase, samples: phase.samples - 1 } };
  if (phase.name === 'hold') return raise(limit, bytesPerSecond, cooldown, slowStart);
  const hoped = limit / phase.from - 1;
  if (bytesPerSecond >= phase.before * (1 + hoped * worthwhile)) return raise(limit, bytesPerSecond, minCooldown, slowStart);
  return hold(phase.from, cooldown, Math.min(maxCooldown, cooldown * 2));
}
