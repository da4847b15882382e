import { backoffDelay } from '#client/backoff.ts';
import type { HostedClient } from '#client/hosted.ts';
import type { GatewayTask, GatewayWork, TaskAnswer } from '#protocol/hosted/gateways.ts';
import { limits } from '#protocol/limits.ts';
import { wordsOf } from '../errors.ts';
import type { Clock, Log } from '../ports.ts';
import type { CheckStep } from './mount-process/check-mount.ts';
import type { TransferReport, Work } from './mount-process/messages.ts';
import type { MountProcess } from './mount-process/start-process.ts';
import { createReporter, type Reporter } from './reporter.ts';

type TransferTask = Extract<GatewayTask, { readonly transfer_id: string }>;
/** A question of somebody who waits. */
type AskedTask = Extract<GatewayTask, { readonly kind: 'browse' | 'check' }>;

interface RunningTask {
  readonly task: TransferTask;
  readonly mountId: string;
  readonly work: Work;
  readonly reporter: Reporter;
}

export interface TasksPorts {
  readonly gatewayId: string;
  /** The service, without a credential. */
  readonly service: HostedClient;
  readonly token: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly mountOf: (connectionId: string) => { readonly id: string; readonly process: MountProcess } | null;
  readonly connectionOf: (mountId: string) => string | null;
  readonly changed: (mountId: string) => void;
  /** The service is to be asked about other transfers than before. */
  readonly partialChanged: () => void;
}

/** The tasks of one gateway: handed to the processes of their mounts, and told about at the service. */
export interface Tasks {
  received(work: GatewayWork): void;
  /** Ids of those that are worked on. */
  ids(): string[];
  worksOf(mountId: string): Work[];
  reported(report: TransferReport): void;
  /** Ids of transfers whose processes wait for a task, as after a restart of the agent. */
  partial(): string[];
  /** The process needs other tokens: the lease is let go, and the task comes again with new ones. */
  tokenRefused(transferId: string, mountId: string): void;
  /** A process goes on with these since an earlier one: the service is asked about those that no task is here for. */
  unfinished(transferIds: readonly string[], mountId: string): void;
  /** Puts down what a mount works on that is removed. */
  dropMount(mountId: string): void;
  close(): void;
}

/** Between two attempts to have a process put a transfer down. */
const backoff = { first: 1_000, most: 30_000 };
/** Milliseconds for an answer to a person who waits. */
const answerMs = 15_000;
/** Milliseconds for a step on the way to it: the answer waits for that call. */
const stepMs = 3_000;
const longestWords = 1_000;

export function createTasks({
  gatewayId,
  service,
  token,
  clock,
  random,
  log,
  mountOf,
  connectionOf,
  changed,
  partialChanged,
}: TasksPorts): Tasks {
  /** By transfer: a second task for one replaces the first. */
  const running = new Map<string, RunningTask>();
  /** Connections of transfers that wait for a task: the service says if there will be none. */
  const waiting = new Map<string, string>();
  /** Transfers that are to be put down, until their process has: it may be starting, or its folder away. Each with what ends that. */
  const cancelling = new Map<string, () => void>();

  const drop = (transferId: string): RunningTask | null => {
    const one = running.get(transferId);
    if (!one) return null;
    one.reporter.close();
    running.delete(transferId);
    changed(one.mountId);
    return one;
  };

  const begin = (task: TransferTask): void => {
    const mount = mountOf(task.cloud_connection_id);
    if (!mount) return;
    stopCancelling(task.transfer_id);
    waiting.delete(task.transfer_id);
    const known = running.get(task.transfer_id);
    known?.reporter.close();
    const own: RunningTask = {
      task,
      mountId: mount.id,
      work: workOf(task),
      reporter: createReporter({
        taskId: task.id,
        client: service.as({ kind: 'transfer', token: task.transfer_token }),
        clock,
        random,
        log,
        totals: task.kind === 'deliver' ? { total_bytes: task.total_bytes, total_files: task.total_files } : null,
        settled(how) {
          if (running.get(task.transfer_id) !== own) return;
          running.delete(task.transfer_id);
          if (how === 'lost') ask(task.transfer_id, task.cloud_connection_id);
          changed(mount.id);
        },
      }),
    };
    running.set(task.transfer_id, own);
    mount.process.work(own.work);
    changed(mount.id);
  };

  /**
   * A task that is not the gateway's any more says nothing of its transfer: its lease may have lapsed, and an answer with the
   * next one be under way. The service is asked whether the transfer is over; until then it goes on.
   */
  const ask = (transferId: string, connection: string): void => {
    waiting.set(transferId, connection);
    partialChanged();
  };

  const stopCancelling = (transferId: string): void => {
    cancelling.get(transferId)?.();
    cancelling.delete(transferId);
  };

  const cancel = ({
    cloud_connection_id: connection,
    transfer_id: transferId,
  }: Pick<TransferTask, 'cloud_connection_id' | 'transfer_id'>): void => {
    let failures = 0;
    const attempt = async (): Promise<void> => {
      const own = cancelling.get(transferId);
      try {
        await mountOf(connection)?.process.ask('cancel', { transferId });
        if (cancelling.get(transferId) === own) cancelling.delete(transferId);
      } catch (cause) {
        if (cancelling.get(transferId) !== own) return;
        if (failures++ === 0) log.warn({ transfer: transferId, error: wordsOf(cause) }, 'a transfer of a mount could not be put down yet');
        cancelling.set(transferId, clock.after(backoffDelay(failures, random, backoff), attempt));
      }
    };
    stopCancelling(transferId);
    cancelling.set(transferId, () => undefined);
    void attempt();
  };

  const answer = async (task: AskedTask): Promise<void> => {
    const tell = (body: TaskAnswer): Promise<unknown> =>
      service.as({ kind: 'gateway', token }).call('answerGatewayTask', {
        params: { storage_gateway_id: gatewayId, task_id: task.id },
        body,
        signal: AbortSignal.timeout(body.more ? stepMs : answerMs),
      });
    // One call after the other, so that the last one has all.
    let telling: Promise<unknown> = Promise.resolve();
    const steps: CheckStep[] = [];
    const body = await answerTo(task, (step) => {
      steps.push(step);
      const soFar = [...steps];
      telling = telling.then(() => (soFar.length === steps.length ? tell({ steps: soFar, more: true }) : null)).catch(() => undefined);
    });
    await telling;
    await tell(body).catch((cause: unknown) =>
      log.info({ task: task.id, error: wordsOf(cause) }, 'an answer came too late for the service'),
    );
  };

  const answerTo = async (task: AskedTask, onStep: (step: CheckStep) => void): Promise<TaskAnswer> => {
    const mount = mountOf(task.cloud_connection_id);
    if (!mount) return { error: 'This connection is not mounted at its gateway any more.' };
    const { state } = mount.process;
    try {
      if (task.kind === 'check') {
        return { steps: await mount.process.ask('check', { folders: task.folders, write: task.write }, answerMs, onStep) };
      }
      if (state?.state === 'offline') return { error: state.reason.slice(0, longestWords) };
      const page = await mount.process.ask('browse', { prefix: task.prefix, prevKey: task.prev_key, count: task.count }, answerMs);
      return { items: page.items, next_key: page.nextKey };
    } catch (cause) {
      return { error: wordsOf(cause).slice(0, longestWords) || 'It failed.' };
    }
  };

  return {
    received({ tasks, cancelled }) {
      const ended = new Set(cancelled);
      for (const { task } of [...running.values()]) {
        if (!ended.has(task.id)) continue;
        drop(task.transfer_id);
        ask(task.transfer_id, task.cloud_connection_id);
      }
      for (const [transferId, connection] of [...waiting]) {
        if (!ended.has(transferId)) continue;
        waiting.delete(transferId);
        cancel({ cloud_connection_id: connection, transfer_id: transferId });
      }
      for (const task of tasks) {
        if (task.kind === 'browse' || task.kind === 'check') void answer(task);
        else begin(task);
      }
    },
    ids: () => [...running.values()].map(({ task }) => task.id),
    worksOf: (mountId) => [...running.values()].filter((one) => one.mountId === mountId).map(({ work }) => work),
    reported(report) {
      running.get(report.transferId)?.reporter.report(report);
    },
    partial: () => [...waiting.keys()].slice(0, limits.gatewayTasks),
    tokenRefused(transferId, mountId) {
      drop(transferId);
      const connection = connectionOf(mountId);
      if (connection !== null && !cancelling.has(transferId)) ask(transferId, connection);
    },
    unfinished(transferIds, mountId) {
      const connection = connectionOf(mountId);
      if (connection === null) return;
      for (const id of transferIds) if (!running.has(id) && !cancelling.has(id)) ask(id, connection);
    },
    dropMount(mountId) {
      const connection = connectionOf(mountId);
      for (const [transferId, own] of [...waiting]) if (own === connection) waiting.delete(transferId);
      for (const { task, mountId: own } of [...running.values()]) if (own === mountId) drop(task.transfer_id);
    },
    close() {
      for (const { reporter } of running.values()) reporter.close();
      running.clear();
      waiting.clear();
      for (const transferId of [...cancelling.keys()]) stopCancelling(transferId);
    },
  };
}

function workOf(task: TransferTask): Work {
  const common = { transferId: task.transfer_id, packageId: task.package_id };
  if (task.kind === 'deliver') return { ...common, kind: 'deliver', token: task.read_token, target: task.target_directory_id };
  const files = task.files.map(({ id, name }) => ({ id, name }));
  return { ...common, kind: 'collect', token: task.write_token, files, folders: task.source_directory_ids };
}
