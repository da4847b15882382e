/**
 * How many connections a transfer's large chunks use at once: pure arithmetic, asked once in a while. More of them help
 * where each is held back by itself (a long round trip, a throttled sender), and cost memory and turns where they are not.
 */
export interface Width {
  readonly width: number;
  readonly phase: /** It stays for so many more looks. */
    | { readonly name: 'hold'; readonly looks: number }
    /** It was made wider; what comes of it is judged at a later look. */
    | { readonly name: 'try'; readonly looks: number; readonly from: number; readonly before: number };
  /** Looks to wait after a try that gained nothing; doubles, since it will hardly gain the next time. */
  readonly patience: number;
}

/** What happened since the last look. */
export interface Look {
  readonly bytesPerSecond: number;
  /** Chunks that the network or the storage failed. */
  readonly failures: number;
  /** Whether more chunks waited for a connection: else another one would have had nothing to do. */
  readonly wanted: boolean;
}

export const mostWidth = 16;
const firstWidth = 4;
const firstPatience = 4;
const mostPatience = 64;
/** New connections begin slowly: the first look after a try tells nothing. */
const looksOfTry = 2;
/** Of what would be gained if each connection brought as much as those before, so much has to be. */
const worthwhile = 0.4;

export const beginning: Width = { width: firstWidth, phase: { name: 'hold', looks: 2 }, patience: firstPatience };

const hold = (width: number, looks: number, patience: number): Width => ({ width, phase: { name: 'hold', looks }, patience });

function wider(width: number, before: number, patience: number): Width {
  const next = Math.min(mostWidth, width + Math.max(1, Math.floor(width / 2)));
  if (next === width) return hold(width, mostPatience, patience);
  return { width: next, phase: { name: 'try', looks: looksOfTry, from: width, before }, patience };
}

/** The width after a look. */
export function nextWidth({ width, phase, patience }: Width, { bytesPerSecond, failures, wanted }: Look): Width {
  if (failures > 0) return hold(Math.max(1, Math.floor(width / 2)), firstPatience, firstPatience);
  if (!wanted || bytesPerSecond === 0) return phase.name === 'try' ? hold(phase.from, 1, patience) : { width, phase, patience };
  if (phase.looks > 1) return { width, phase: { ...phase, looks: phase.looks - 1 }, patience };
  if (phase.name === 'hold') return wider(width, bytesPerSecond, patience);
  const hoped = width / phase.from - 1;
  if (bytesPerSecond >= phase.before * (1 + hoped * worthwhile)) return wider(width, bytesPerSecond, firstPatience);
  return hold(phase.from, patience, Math.min(mostPatience, patience * 2));
}
