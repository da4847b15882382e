import { backoffDelay } from '#client/backoff.ts';
import { refusesCredential } from '#client/faults.ts';
import type { HostedClient } from '#client/hosted.ts';
import { ApiError } from '#protocol/errors.ts';
import type { GatewayWork, MountReport } from '#protocol/hosted/gateways.ts';
import { wordsOf } from '../errors.ts';
import type { Clock, Log } from '../ports.ts';

/** Seconds that the service may take over an answer without work. Many proxies wait for a minute. */
const waitSeconds = 55;
/** The same while tasks are worked on: a poll renews their leases of 15 s. */
const waitWithTasks = 6;
const backoff = { first: 500, most: 30_000 };
/** A gateway that its service does not know is asked about this rarely: somebody may have put an older database back. */
const refusedMs = 300_000;

export interface PollerPorts {
  readonly gatewayId: string;
  /** With the gateway's token. */
  readonly client: HostedClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly mounts: () => readonly MountReport[];
  /** Ids of the tasks that are worked on. */
  readonly renew: () => readonly string[];
  /** Ids of transfers that were begun and that there is no task of. */
  readonly partial: () => readonly string[];
  readonly received: (work: GatewayWork) => void;
  /** The service does not accept the gateway any more (words for a person), or accepts it again (`null`). */
  readonly refused: (why: string | null) => void;
}

/** Asks the service for work, always by one long poll (contract/gateways.md §3). */
export interface Poller {
  /** Something has changed that the service should know now: the poll that waits is replaced. */
  poke(): void;
  /** Says that the gateway goes, and ends. */
  close(): Promise<void>;
}

export function startPoller({ gatewayId, client, clock, random, log, mounts, renew, partial, received, refused }: PollerPorts): Poller {
  const closing = new AbortController();
  let current = new AbortController();
  let wake = (): void => undefined;
  let failures = 0;
  let lastReported = '';

  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      const cancel = clock.after(milliseconds, resolve);
      wake = () => {
        cancel();
        resolve();
      };
    });

  const poll = (wait: number, all: readonly MountReport[], signal: AbortSignal): Promise<GatewayWork> =>
    client.call('pollStorageGateway', {
      params: { storage_gateway_id: gatewayId },
      body: { mounts: [...all], wait, renew: [...renew()], ...(partial().length > 0 ? { partial: [...partial()] } : {}) },
      signal,
    });

  const once = async (): Promise<void> => {
    current = new AbortController();
    const reported = mounts();
    lastReported = JSON.stringify([reported, partial()]);
    try {
      const work = await poll(
        renew().length > 0 ? waitWithTasks : waitSeconds,
        reported,
        AbortSignal.any([closing.signal, current.signal]),
      );
      if (failures > 0) log.info({ gateway: gatewayId }, 'the service answers the gateway again');
      failures = 0;
      refused(null);
      received(work);
    } catch (cause) {
      if (closing.signal.aborted || current.signal.aborted) return;
      const isGone = refusesCredential(cause) || (cause instanceof ApiError && cause.error === 'not_found');
      if (isGone) refused(wordsOf(cause));
      failures++;
      if (failures === 1) log.warn({ gateway: gatewayId, error: wordsOf(cause) }, 'the service did not answer the gateway');
      await pause(isGone ? refusedMs : backoffDelay(failures, random, backoff));
    }
  };

  const running = (async () => {
    while (!closing.signal.aborted) await once();
  })();

  return {
    poke() {
      if (JSON.stringify([mounts(), partial()]) === lastReported) return;
      // An answer on its way is lost with the poll: its tasks are handed out again when their leases lapse.
      current.abort();
      wake();
    },
    async close() {
      closing.abort();
      wake();
      await running;
      const away = mounts().map((mount) => ({ ...mount, state: 'offline' as const, reason: 'The agent has stopped.' }));
      // Best effort: without it the service notices by itself within seconds.
      await poll(0, away, AbortSignal.timeout(farewellMs)).catch(() => undefined);
    },
  };
}

const farewellMs = 1_500;
