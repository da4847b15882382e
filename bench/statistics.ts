/** A middle and how far the values lie around it. */
export interface Spread {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/** Median and quartiles, between two values by straight line. `null` of nothing. */
export function spreadOf(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  return { low: quantile(sorted, 0.25), median: quantile(sorted, 0.5), high: quantile(sorted, 0.75) };
}

/** The values below which such shares of all lie. */
export function quantiles(values: readonly number[], shares: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  return shares.map((share) => quantile(sorted, share));
}

function quantile(sorted: readonly number[], at: number): number {
  const place = (sorted.length - 1) * at;
  const below = Math.floor(place);
  const from = sorted[below]!;
  const to = sorted[below + 1] ?? from;
  return from + (to - from) * (place - below);
}

/**
 * The spread of `ours / theirs`, taken round by round: what slowed both in one round then falls out.
 * Both are by round; a round that either lacks is left out.
 */
export function ratioOf(ours: ReadonlyMap<number, number>, theirs: ReadonlyMap<number, number>): Spread | null {
  const ratios: number[] = [];
  for (const [round, our] of ours) {
    const their = theirs.get(round);
    if (their !== undefined && their > 0) ratios.push(our / their);
  }
  return spreadOf(ratios);
}
