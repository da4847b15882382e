import type { Gate } from '#client/ports.ts';

/** Stands before the gates of one job, so that it can be stopped between two chunks: what is under way still gets through. */
export interface Turnstile {
  through(gate: Gate): Gate;
  /** From now on nothing new begins. Calls back, once, when nothing is under way and what came of it is noted. */
  shut(whenQuiet: () => void): void;
}

/** @param end when it fires, what waits is let in to find that out by itself */
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
    // A turn later: whoever sent the last chunk notes it first.
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
