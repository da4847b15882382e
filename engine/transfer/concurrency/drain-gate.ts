import type { Gate } from '#client/ports.ts';

/**
 * Drain gate before the gates of one job, so that the job can be stopped between two chunks: chunks in progress still
 * complete.
 */
export interface Turnstile {
  through(gate: Gate): Gate;
  /** From now on nothing new begins. Calls back, once, when nothing is in progress and all results are noted. */
  shut(whenQuiet: () => void): void;
}

/** @param end when it fires, waiting work is admitted and detects the end itself */
export function createTurnstile(end: AbortSignal): Turnstile {
  let underWay = 0;
  let shut: (() => void) | null = null;

  const ended = (): Promise<void> =>
    new Promise((resolve) => {
      if (end.aborted) resolve();
      else end.addEventListener('abort', () => resolve(), { once: true });
    });

  const tell = (): void => {
    const whenQuiet = shut;
    // One turn later, so that the sender of the last chunk can note it first.
    if (whenQuiet && underWay === 0) setImmediate(whenQuiet);
  };

  return {
    through: (gate) => (work) =>
      gate(async () => {
        if (shut) await ended();
        underWay++;
        try {
          return await work();
        } finally {
          underWay--;
          if (!end.aborted) tell();
        }
      }),
    shut(whenQuiet) {
      if (shut) return;
      shut = whenQuiet;
      tell();
    },
  };
}
