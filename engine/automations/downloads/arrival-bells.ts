import { backoffDelay } from '#client/backoff.ts';
import type { Fetcher } from '#client/ports.ts';
import { ApiError } from '#protocol/errors.ts';
import { createTransport } from '../../io/transport.ts';
import type { Clock } from '../../ports.ts';
import type { Session } from '../../session/session.ts';
import type { WantedSession } from '../../session/session-entry.ts';

/**
 * Rings when a package of a Team was finalized at its service: one long poll for each Team, however many automations
 * listen (contract/packages.md §10). At a service without it nothing rings, and whoever listens looks by the clock.
 */
export interface ArrivalBells {
  /** @param ring called with the Portals of new packages, and with `null` where some may have been missed */
  listen(wanted: WantedSession, ring: (portalIds: ReadonlySet<string> | null) => void): ArrivalBell;
  close(): Promise<void>;
}

export interface ArrivalBell {
  /** Whether it rings for whatever comes now. */
  readonly works: boolean;
  end(): void;
}

interface BellPorts {
  readonly session: Pick<Session, 'hosted'>;
  readonly clock: Clock;
  readonly random: () => number;
  /** For calls that wait far longer for an answer than calls of transfers may; opened once somebody listens. */
  readonly openFetcher?: () => { readonly fetcher: Fetcher; close(): Promise<void> };
}

/** Seconds that the service may take over an answer; less than what proxies in between wait for. */
const waitSeconds = 45;
/** Milliseconds until an answer begins. */
const answerMs = 60_000;
/** Milliseconds between an answer and the next call, so that many packages ring once. */
const lingerMs = 1_000;
const backoff = { first: 1_000, most: 60_000 };
/** Until a service that does not know the call is asked again, in milliseconds: it may have been updated. */
const unknownMs = 600_000;

const openPatientTransport = () => createTransport({ answerMs, stallMs: answerMs, connections: 16 });

export function createArrivalBells({ session, clock, random, openFetcher = openPatientTransport }: BellPorts): ArrivalBells {
  const loops = new Map<string, ReturnType<typeof createLoop>>();
  let opened: ReturnType<typeof openFetcher> | null = null;
  return {
    listen(wanted, ring) {
      const key = JSON.stringify([wanted.serviceUrl, wanted.teamId, wanted.sessionId]);
      let loop = loops.get(key);
      if (!loop) {
        opened ??= openFetcher();
        loop = createLoop({ wanted, session, clock, random, fetcher: opened.fetcher });
        loops.set(key, loop);
      }
      const { listeners } = loop;
      const listener = { ring };
      listeners.add(listener);
      return {
        get works() {
          return loop.works();
        },
        end() {
          listeners.delete(listener);
          if (listeners.size > 0 || loops.get(key) !== loop) return;
          loops.delete(key);
          void loop.close();
        },
      };
    },
    async close() {
      const all = [...loops.values()];
      loops.clear();
      await Promise.all(all.map((loop) => loop.close()));
      await opened?.close();
      opened = null;
    },
  };
}

interface LoopPorts extends Pick<BellPorts, 'session' | 'clock' | 'random'> {
  readonly wanted: WantedSession;
  readonly fetcher: Fetcher;
}

function createLoop({ wanted, session, clock, random, fetcher }: LoopPorts) {
  const listeners = new Set<{ readonly ring: (portalIds: ReadonlySet<string> | null) => void }>();
  const closing = new AbortController();
  let works = false;
  let after: string | null = null;
  let failures = 0;
  /** A service may tell of a package in two answers. */
  let reported: ReadonlySet<string> = new Set();
  let skipPause = (): void => {};

  const ring = (portalIds: ReadonlySet<string> | null): void => {
    for (const listener of [...listeners]) listener.ring(portalIds);
  };
  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      const cancel = clock.after(milliseconds, resolve);
      skipPause = () => {
        cancel();
        resolve();
      };
      if (closing.signal.aborted) skipPause();
    });
  /** What was finalized while it did not work is found by a look. */
  const nowWorks = (next: boolean): void => {
    if (works === next) return;
    works = next;
    ring(null);
  };

  const once = async (): Promise<void> => {
    try {
      const { client } = session.hosted(wanted, fetcher);
      const query = works && after !== null ? { after, wait: waitSeconds } : { wait: 0 };
      const { at, packages } = await client.call('waitForPackages', { params: { team_id: wanted.teamId }, query, signal: closing.signal });
      failures = 0;
      after = at;
      nowWorks(true);
      const fresh = packages.filter(({ id }) => !reported.has(id));
      reported = new Set(packages.map(({ id }) => id));
      if (fresh.length > 0) ring(new Set(fresh.flatMap(({ portal_id: portalId }) => portalId ?? [])));
      await pause(lingerMs);
    } catch (cause) {
      if (closing.signal.aborted) return;
      nowWorks(false);
      failures++;
      await pause(isUnknown(cause) ? unknownMs : backoffDelay(failures, random, backoff));
    }
  };

  const running = (async () => {
    // Whoever listens first is added before the first call.
    await Promise.resolve();
    while (!closing.signal.aborted) await once();
  })();
  return {
    listeners,
    works: () => works,
    async close() {
      closing.abort();
      skipPause();
      await running;
    },
  };
}

/** An older service has no such call. */
const isUnknown = (cause: unknown): boolean => cause instanceof ApiError && [404, 405, 501].includes(cause.status);
