/** Speed over the last seconds, and what it means for the time left. Times in milliseconds, sizes in bytes. */
export interface Meter {
  /** So many more bytes went through. */
  add(bytes: number, now: number): void;
  /** Bytes a second over the window; 0 when nothing moved in it. */
  speed(now: number): number;
  /** Seconds until `remaining` bytes are through; `null` while nothing moves. */
  secondsLeft(remaining: number, now: number): number | null;
}

const slotMilliseconds = 250;

/** A ring of quarter seconds: constant memory, however fast the bytes come. */
export function createMeter(windowMilliseconds = 5_000): Meter {
  const slots = Math.ceil(windowMilliseconds / slotMilliseconds);
  const bytes = new Float64Array(slots);
  const numbers = new Float64Array(slots).fill(-1);
  let first: number | null = null;

  const speed = (now: number): number => {
    if (first === null) return 0;
    const current = Math.floor(now / slotMilliseconds);
    let sum = 0;
    for (let at = 0; at < slots; at++) if (current - numbers[at]! < slots && numbers[at]! <= current) sum += bytes[at]!;
    // From its first byte on a transfer has less than a whole window behind it.
    const seconds = Math.min(windowMilliseconds, Math.max(now - first, slotMilliseconds)) / 1_000;
    return sum / seconds;
  };

  return {
    add(count, now) {
      first ??= now;
      const number = Math.floor(now / slotMilliseconds);
      const at = number % slots;
      if (numbers[at] !== number) {
        numbers[at] = number;
        bytes[at] = 0;
      }
      bytes[at]! += count;
    },
    speed,
    secondsLeft(remaining, now) {
      if (remaining <= 0) return 0;
      const current = speed(now);
      return current > 0 ? remaining / current : null;
    },
  };
}
