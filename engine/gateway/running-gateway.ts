import { createHostedClient } from '#client/hosted.ts';
import { createTransport } from '../io/transport.ts';
import type { Clock, Log } from '../ports.ts';
import type { TransferReport, Work } from './mount-process/messages.ts';
import type { MountProcess } from './mount-process/start-process.ts';
import { startPoller } from './poller.ts';
import { createTasks } from './tasks.ts';

/** Milliseconds until an answer begins: a long poll's comes after its wait. */
const answerMs = 75_000;
/** After a network that was away the service has ended the poll that waits: the gateway notices by this, and asks again. */
const keepAliveMs = 5_000;
const longestReason = 1_000;

interface RunningGatewayPorts {
  readonly gatewayId: string;
  readonly serviceUrl: string;
  readonly token: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly mounts: () => readonly {
    readonly row: { readonly id: string; readonly cloud_connection_id: string };
    readonly process: MountProcess;
  }[];
  /** A mount's tasks have changed, or whether the service knows the gateway. */
  readonly changed: (mountId: string) => void;
}

/** One gateway that asks its service for work and does it. */
export interface RunningGateway {
  poke(): void;
  /** Why the service does not accept the gateway any more; `null` if it does. */
  refused(): string | null;
  tasksOf(mountId: string): number;
  worksOf(mountId: string): Work[];
  reported(report: TransferReport): void;
  tokenRefused(transferId: string, mountId: string): void;
  unfinished(transferIds: readonly string[], mountId: string): void;
  dropMount(mountId: string): void;
  close(): Promise<void>;
}

export function startGateway({ gatewayId, serviceUrl, token, clock, random, log, mounts, changed }: RunningGatewayPorts): RunningGateway {
  // A transport of its own: polls wait far longer for an answer than calls of transfers may.
  const transport = createTransport({ answerMs, stallMs: answerMs, keepAliveMs, connections: 16 });
  const service = createHostedClient({ baseUrl: serviceUrl, fetcher: transport.fetcher });
  let refused: string | null = null;

  const tasks = createTasks({
    gatewayId,
    service,
    token,
    clock,
    random,
    log,
    mountOf(connectionId) {
      const found = mounts().find(({ row }) => row.cloud_connection_id === connectionId);
      return found ? { id: found.row.id, process: found.process } : null;
    },
    connectionOf: (mountId) => mounts().find(({ row }) => row.id === mountId)?.row.cloud_connection_id ?? null,
    changed,
    partialChanged: () => poller.poke(),
  });
  const poller = startPoller({
    gatewayId,
    client: service.as({ kind: 'gateway', token }),
    clock,
    random,
    log,
    mounts: () =>
      mounts().map(({ row, process: { state } }) => ({
        cloud_connection_id: row.cloud_connection_id,
        state: state?.state ?? 'offline',
        reason: state?.state === 'offline' ? state.reason.slice(0, longestReason) : state ? '' : 'The folder is being looked at.',
      })),
    renew: tasks.ids,
    partial: tasks.partial,
    received: tasks.received,
    refused(why) {
      if (why === refused) return;
      refused = why;
      for (const { row } of mounts()) changed(row.id);
    },
  });
  return {
    poke: poller.poke,
    refused: () => refused,
    tasksOf: (mountId) => tasks.worksOf(mountId).length,
    worksOf: tasks.worksOf,
    reported: tasks.reported,
    tokenRefused: tasks.tokenRefused,
    unfinished: tasks.unfinished,
    dropMount: tasks.dropMount,
    async close() {
      tasks.close();
      await poller.close();
      await transport.close();
    },
  };
}
