/** Milliseconds that a speed looks back: long enough to be calm, short enough to notice a change. */
const looksBack = 12_000;

export interface Speed {
  /** Notes how many bytes have gone out in all, at a moment in milliseconds. */
  note(bytes: number, now: number): void;
  /** Bytes a second; 0 before there is anything to go by. */
  perSecond(): number;
  /** A pause is no slowness. */
  reset(): void;
}

export function createSpeed(): Speed {
  let samples: { readonly bytes: number; readonly at: number }[] = [];
  return {
    note(bytes, now) {
      samples.push({ bytes, at: now });
      const from = samples.findIndex((one) => now - one.at <= looksBack);
      if (from > 0) samples = samples.slice(from);
    },
    perSecond() {
      const [first, last] = [samples[0], samples.at(-1)];
      if (!first || !last || last.at - first.at < 500) return 0;
      return Math.max(0, ((last.bytes - first.bytes) * 1_000) / (last.at - first.at));
    },
    reset() {
      samples = [];
    },
  };
}
