/** Speed over the last seconds, and what it means for the time left. Times in milliseconds, sizes in bytes. */
interface Meter {
  /** More bytes moved. */
  add(bytes: number, now: number): void;
  /** Bytes a second over the window; 0 when nothing moved in it. */
  speed(now: number): number;
  /** Seconds until `remaining` bytes are moved; `null` while nothing moves, and before a speed is known. */
  secondsLeft(remaining: number, now: number): number | null;
}

const slotMilliseconds = 250;
/** Shorter or smaller samples do not show the real speed: after a small first file, 30 MB would seem to take days. */
const tellingMilliseconds = 3_000;
const tellingBytes = 16 * 1024;

/** A ring of quarter seconds: constant memory, however fast the bytes come. */
export function createMeter(windowMilliseconds = 5_000): Meter {
  const slots = Math.ceil(windowMilliseconds / slotMilliseconds);
  const bytes = new Float64Array(slots);
  const numbers = new Float64Array(slots).fill(-1);
  /** When bytes began to move, for the first time or again after nothing moved for a whole window. */
  let first: number | null = null;
  let last = Number.NEGATIVE_INFINITY;

  const movedOfLate = (now: number): number => {
    const current = Math.floor(now / slotMilliseconds);
    let sum = 0;
    for (let at = 0; at < slots; at++) if (current - numbers[at]! < slots && numbers[at]! <= current) sum += bytes[at]!;
    return sum;
  };

  const speed = (now: number): number => {
    if (first === null) return 0;
    // What has just begun, or goes on, has less than a whole window of samples.
    const seconds = Math.min(windowMilliseconds, Math.max(now - first, slotMilliseconds)) / 1_000;
    return movedOfLate(now) / seconds;
  };

  return {
    add(count, now) {
      // After a pause or an outage the empty seconds are no part of the speed: it would seem far too low.
      if (first === null || now - last >= windowMilliseconds) first = now;
      last = now;
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
      if (first === null || now - first < tellingMilliseconds || movedOfLate(now) < Math.min(tellingBytes, remaining)) return null;
      const current = speed(now);
      return current > 0 ? remaining / current : null;
    },
  };
}
