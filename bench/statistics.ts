/** A median with its quartiles. */
export interface Spread {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/** Median and quartiles, with linear interpolation. `null` without values. */
export function spreadOf(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  return { low: quantile(sorted, 0.25), median: quantile(sorted, 0.5), high: quantile(sorted, 0.75) };
}

/** The quantiles at the given shares (0 to 1). */
export function quantiles(values: readonly number[], shares: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  return shares.map((share) => quantile(sorted, share));
}

function quantile(sorted: readonly number[], at: number): number {
  const position = (sorted.length - 1) * at;
  const below = Math.floor(position);
  const from = sorted[below]!;
  const to = sorted[below + 1] ?? from;
  return from + (to - from) * (position - below);
}

/**
 * The spread of `ours / theirs` over the rounds: what slowed both in one round cancels out.
 * Both are keyed by round; rounds that one of them lacks are ignored.
 */
export function ratioOf(ours: ReadonlyMap<number, number>, theirs: ReadonlyMap<number, number>): Spread | null {
  const ratios: number[] = [];
  for (const [round, our] of ours) {
    const their = theirs.get(round);
    if (their !== undefined && their > 0) ratios.push(our / their);
  }
  return spreadOf(ratios);
}
