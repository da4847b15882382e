import type { Clock } from '../ports.ts';

/** Work in progress of a stopped transfer may complete if it takes no longer than this. */
const finishSeconds = 5;
/** Work that is not complete by then is ended, whatever was estimated. */
const longestMs = 6_000;

/**
 * Which byte transfers in progress are worth completing: those that together finish within five seconds, the shortest
 * first. One that has sent all its bytes only waits for its answer.
 *
 * @param left remaining bytes of each
 * @param bytesPerSecond of all of them together
 * @returns their indexes
 */
export function worthFinishing(left: readonly number[], bytesPerSecond: number): ReadonlySet<number> {
  const worthwhile = new Set<number>();
  let sum = 0;
  for (const [index, bytes] of [...left.entries()].sort(([, a], [, b]) => a - b)) {
    sum += bytes;
    if (sum > bytesPerSecond * finishSeconds) break;
    worthwhile.add(index);
  }
  return worthwhile;
}

/** One transfer of a byte range; if it is cut, all of it is lost. */
interface Movement {
  readonly bytes: number;
  readonly signal: AbortSignal;
  readonly onBytes: (count: number) => void;
}

/** The byte ranges in progress in one run of a transfer. */
export interface Movements {
  /** Runs one. `work` gets a signal that also fires if it is not worth waiting for. */
  run<T>(movement: Movement, work: (own: Pick<Movement, 'signal' | 'onBytes'>) => Promise<T>): Promise<T>;
  /**
   * From now on none begins; slow ones are aborted at once. Resolves when the others have completed, or should have,
   * and their results are noted. Idempotent.
   */
  finish(bytesPerSecond: number): Promise<void>;
}

interface UnderWay {
  left: number;
  isCut: boolean;
  readonly stop: AbortController;
}

export function createMovements(clock: Clock): Movements {
  const underWay = new Set<UnderWay>();
  let finishing: Promise<void> | null = null;
  let through = (): void => {};

  function cut(one: UnderWay): void {
    one.isCut = true;
    underWay.delete(one);
    one.stop.abort(new Error('It takes too long to be waited for.'));
  }

  return {
    async run({ bytes, signal, onBytes }, work) {
      if (finishing) return endOf(signal);
      const one: UnderWay = { left: bytes, isCut: false, stop: new AbortController() };
      const stopToo = (): void => one.stop.abort(signal.reason);
      if (signal.aborted) stopToo();
      signal.addEventListener('abort', stopToo, { once: true });
      underWay.add(one);
      try {
        return await work({
          signal: one.stop.signal,
          onBytes(count) {
            one.left -= count;
            onBytes(count);
          },
        });
      } catch (error) {
        // For the sender this is not a failure: the whole run ends in a moment.
        return await (one.isCut ? endOf(signal) : Promise.reject(error));
      } finally {
        signal.removeEventListener('abort', stopToo);
        underWay.delete(one);
        if (underWay.size === 0) through();
      }
    },
    finish(bytesPerSecond) {
      finishing ??= new Promise((resolve) => {
        const all = [...underWay];
        const worthwhile = worthFinishing(
          all.map(({ left }) => left),
          bytesPerSecond,
        );
        all.forEach((one, index) => {
          if (!worthwhile.has(index)) cut(one);
        });
        const cancel = clock.after(longestMs, () => resolve());
        through = () => {
          cancel();
          // One turn later, so that the sender of the last range can note it first.
          setImmediate(resolve);
        };
        if (underWay.size === 0) through();
      });
      return finishing;
    },
  };
}

/** Never resolves; rejects with the reason for which the signal fires. */
function endOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
