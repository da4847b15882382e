import type { Gate } from '#client/ports.ts';

/**
 * Drain gate before the gates of one job, so that the job can be stopped between two chunks: chunks in progress still
 * complete.
 */
interface DrainGate {
  through(gate: Gate): Gate;
  /** From now on nothing new begins. Calls back, once, when nothing is in progress and all results are noted. */
  drain(whenQuiet: () => void): void;
}

/** @param end when it fires, waiting work is admitted and detects the end itself */
export function createDrainGate(end: AbortSignal): DrainGate {
  let underWay = 0;
  let whenDrained: (() => void) | null = null;

  const ended = (): Promise<void> =>
    new Promise((resolve) => {
      if (end.aborted) resolve();
      else end.addEventListener('abort', () => resolve(), { once: true });
    });

  const tellDrained = (): void => {
    const whenQuiet = whenDrained;
    // One turn later, so that the sender of the last chunk can note it first.
    if (whenQuiet && underWay === 0) setImmediate(whenQuiet);
  };

  return {
    through: (gate) => (work) =>
      gate(async () => {
        if (whenDrained) await ended();
        underWay++;
        try {
          return await work();
        } finally {
          underWay--;
          if (!end.aborted) tellDrained();
        }
      }),
    drain(whenQuiet) {
      if (whenDrained) return;
      whenDrained = whenQuiet;
      tellDrained();
    },
  };
}
