/**
 * Adaptive concurrency of a transfer's large chunks, as pure arithmetic on periodic samples. More connections help if
 * each is limited by itself (a long round trip, a throttled sender); otherwise they only cost memory and scheduling.
 */
export interface Width {
  readonly width: number;
  readonly phase: /** Unchanged for this number of samples. */
    | { readonly name: 'hold'; readonly looks: number }
    /** The concurrency was raised; a later sample judges the result. */
    | { readonly name: 'try'; readonly looks: number; readonly from: number; readonly before: number };
  /** Cooldown in samples after a raise that gained nothing; it doubles, since the next raise will hardly gain either. */
  readonly patience: number;
}

/** What happened since the last sample. */
export interface Look {
  readonly bytesPerSecond: number;
  /** Chunks that failed because of the network or the storage. */
  readonly failures: number;
  /** Whether more chunks waited for a connection: without them, one more connection would be idle. */
  readonly wanted: boolean;
  /** Whether these connections use all of a speed limit: one more would only share it. */
  readonly full?: boolean;
}

export const mostWidth = 16;
const firstWidth = 4;
/** Under a speed limit: mostly one connection fills it, and the second works while the first waits for an answer. */
const firstLimitedWidth = 2;
const firstPatience = 4;
const mostPatience = 64;
/** New connections start slowly: the first sample after a raise says nothing. */
const looksOfTry = 2;
/** Share of the ideal gain (each new connection as fast as the old ones) that makes a raise worthwhile. */
const worthwhile = 0.4;

export const beginning: Width = { width: firstWidth, phase: { name: 'hold', looks: 2 }, patience: firstPatience };

export const limitedBeginning: Width = { ...beginning, width: firstLimitedWidth };

const hold = (width: number, looks: number, patience: number): Width => ({ width, phase: { name: 'hold', looks }, patience });

function wider(width: number, before: number, patience: number): Width {
  const next = Math.min(mostWidth, width + Math.max(1, Math.floor(width / 2)));
  if (next === width) return hold(width, mostPatience, patience);
  return { width: next, phase: { name: 'try', looks: looksOfTry, from: width, before }, patience };
}

/** The concurrency after a sample. */
export function nextWidth({ width, phase, patience }: Width, { bytesPerSecond, failures, wanted, full = false }: Look): Width {
  if (failures > 0) return hold(Math.max(1, Math.floor(width / 2)), firstPatience, firstPatience);
  if (!wanted || full || bytesPerSecond === 0) return phase.name === 'try' ? hold(phase.from, 1, patience) : { width, phase, patience };
  if (phase.looks > 1) return { width, phase: { ...phase, looks: phase.looks - 1 }, patience };
  if (phase.name === 'hold') return wider(width, bytesPerSecond, patience);
  const hoped = width / phase.from - 1;
  if (bytesPerSecond >= phase.before * (1 + hoped * worthwhile)) return wider(width, bytesPerSecond, firstPatience);
  return hold(phase.from, patience, Math.min(mostPatience, patience * 2));
}
