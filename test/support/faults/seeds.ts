/** Whether the run may take its time: many seeds, more kills (`npm run soak`). */
export const soaking = process.env['LONGSHORE_SOAK'] === '1';

const given = process.env['LONGSHORE_SEED'];

/**
 * Of a soak's seeds and of the time of its fuzzers, above 0 and up to 1: all takes a night, and a part of each test says more than all
 * of one.
 */
export const soakShare = Number(process.env['LONGSHORE_SOAK_SHARE'] ?? 1);
if (soaking && !(soakShare > 0 && soakShare <= 1)) throw new Error('LONGSHORE_SOAK_SHARE is above 0 and at most 1.');

/** How often something is tried: in a soak a share of many times. */
export const runs = (usual: number, soaked: number): number => (soaking ? Math.ceil(soaked * soakShare) : usual);

/**
 * Seeds for scenarios that are chosen by chance. `LONGSHORE_SEED` gives the first one; else it is always the same, so
 * that a test that passed passes again, and any of today in a soak. Name them in the tests' names: so they are printed.
 */
export function seeds(count: number): number[] {
  const first = given === undefined ? (soaking ? Date.now() % 1_000_000_000 : 1) : Number(given);
  if (!Number.isSafeInteger(first)) throw new Error(`LONGSHORE_SEED is a whole number, not "${given}".`);
  return Array.from({ length: soaking ? Math.ceil(count * soakShare) : count }, (_, index) => first + index);
}

/** Numbers from 0 up to 1, the same for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
