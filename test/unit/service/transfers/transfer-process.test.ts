import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLogger } from '#service/log.ts';
import type { FromTransfers, ToTransfers } from '#service/transfers/process/messages.ts';
import type { TransferChild } from '#service/transfers/process/transfer-child.ts';
import { createTransferProcess } from '#service/transfers/process/transfer-process.ts';
import type { RunnerServices } from '#service/transfers/runner.ts';

interface FakeChild {
  readonly told: ToTransfers['type'][];
  readonly limits: number[];
  readonly killed: boolean;
  say(message: FromTransfers): void;
  exit(): void;
}

const begin = {
  connection: {},
  secret: '',
  storage: { kind: 'url', url: 's3://', gatewayUrl: 'http://127.0.0.1/storage' },
  limits: { perNode: 4, perConnection: 2 },
  senderLimits: { packagesPerHour: 1, announcementsPerDay: 1, mailsPerRecipientAndDay: 1, receiptsPerAddressAndDay: 1 },
  logLevel: 'silent',
} as const;

function startOne(perNode = 4) {
  const children: FakeChild[] = [];
  const running: number[] = [];
  const changed: string[] = [];
  const state = { due: false };
  const startChild = (): TransferChild => {
    const told: ToTransfers['type'][] = [];
    const limits: number[] = [];
    let killed = false;
    let heard: Parameters<TransferChild['listen']>[0];
    children.push({
      told,
      limits,
      get killed() {
        return killed;
      },
      say: (message) => heard.message(message),
      exit: () => heard.exit({ code: 1 }),
    });
    return {
      pid: children.length,
      send(message) {
        told.push(message.type);
        if (message.type === 'limit') limits.push(message.share);
      },
      listen(listeners) {
        heard = listeners;
      },
      kill() {
        killed = true;
        heard.exit({ signal: 'SIGKILL' });
      },
    };
  };
  const runner = createTransferProcess({ ...begin, limits: { perNode, perConnection: 2 } }, (transfers) => void running.push(transfers), {
    startChild,
    isDue: async () => state.due,
  });
  const services = { db: {}, events: { changed: (packageId: string) => void changed.push(packageId) } } as unknown as RunnerServices;
  runner.start(services, createLogger('silent'));
  return { runner, children, changed, running, state };
}

describe('the process for transfers', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000);

  it('is started when a transfer is due, and not before', async () => {
    const { children, state } = startOne();
    await pass(60);
    expect(children).toHaveLength(0);
    state.due = true;
    await pass(5);
    expect(children.map(({ told }) => told)).toEqual([['begin']]);
    await pass(30);
    expect(children).toHaveLength(1);
  });

  it('is started by a call, and told of the next ones', async () => {
    const { runner, children } = startOne();
    runner.wake();
    runner.wake();
    expect(children.map(({ told }) => told)).toEqual([['begin', 'wake']]);
  });

  it('is never started where a node takes on none', async () => {
    const { runner, children, state } = startOne(0);
    state.due = true;
    runner.wake();
    await pass(60);
    expect(children).toHaveLength(0);
  });

  it('is started again when it ends, at once, then ever later while it does nothing', async () => {
    const { runner, children } = startOne();
    runner.wake();
    children[0]!.exit();
    await pass(0);
    expect(children).toHaveLength(2);
    children[1]!.exit();
    await pass(0.4);
    expect(children).toHaveLength(2);
    await pass(0.1);
    expect(children).toHaveLength(3);
    for (let n = 2; n < 12; n++) {
      children[n]!.exit();
      runner.wake();
      expect(children).toHaveLength(n + 1);
      await pass(30);
      expect(children).toHaveLength(n + 2);
    }
    children.at(-1)!.say({ type: 'running', transfers: 1 });
    children.at(-1)!.exit();
    await pass(0);
    expect(children).toHaveLength(14);
  });

  it('is stopped after ten minutes without work, and a transfer that comes meanwhile gets the next one', async () => {
    const { runner, children, state } = startOne();
    const alive = setInterval(() => children.at(-1)?.say({ type: 'alive' }), 5_000);
    runner.wake();
    children[0]!.say({ type: 'running', transfers: 1 });
    await pass(3_600);
    expect(children[0]!.told).toEqual(['begin']);
    children[0]!.say({ type: 'running', transfers: 0 });
    await pass(601);
    expect(children[0]!.told).toEqual(['begin', 'stop']);
    runner.wake();
    expect(children).toHaveLength(1);
    children[0]!.exit();
    expect(children).toHaveLength(2);
    await pass(601);
    children[1]!.exit();
    await pass(60);
    expect(children).toHaveLength(2);
    state.due = true;
    await pass(5);
    expect(children).toHaveLength(3);
    clearInterval(alive);
  });

  it('is replaced when it says nothing for two minutes', async () => {
    const { runner, children } = startOne();
    runner.wake();
    await pass(100);
    children[0]!.say({ type: 'alive' });
    await pass(110);
    expect(children[0]!.killed).toBe(false);
    await pass(20);
    expect(children[0]!.killed).toBe(true);
    expect(children).toHaveLength(2);
  });

  it('tells what goes on', async () => {
    const { runner, children, changed } = startOne();
    runner.wake();
    const [child] = children;
    child!.say({ type: 'changed', packageId: 'p' });
    child!.say({ type: 'arrived', bytes: 5 });
    child!.say({ type: 'ended', event: 'complete' });
    runner.countBytes(2);
    expect(changed).toEqual(['p']);
    const db = { selectFrom: () => rows, select: () => rows } as never;
    const rows = { select: () => rows, where: () => rows, groupBy: () => rows, execute: async () => [{ state: 'started', count: '3' }] };
    expect(await runner.counts(db)).toEqual({ now: { pending: 0, started: 3 }, ended: { complete: 1, error: 0 }, bytes: 7 });
  });

  it('is told how much may be under way, and nobody runs once it has ended', () => {
    const { runner, children, running } = startOne();
    runner.limitParts(0.5);
    runner.wake();
    children[0]!.say({ type: 'running', transfers: 2 });
    runner.limitParts(0.25);
    children[0]!.exit();
    runner.limitParts(1);
    expect(children[0]!.limits).toEqual([0.25]);
    expect(running).toEqual([2, 0]);
  });

  it('ends with the service, by force if it must', async () => {
    const orderly = startOne();
    orderly.runner.wake();
    const stopped = orderly.runner.stop();
    expect(orderly.children[0]!.told).toEqual(['begin', 'stop']);
    orderly.children[0]!.exit();
    await stopped;
    orderly.runner.wake();
    await pass(60);
    expect(orderly.children).toHaveLength(1);

    const stuck = startOne();
    stuck.runner.wake();
    const killed = stuck.runner.stop();
    await pass(10);
    await killed;
    expect(stuck.children.map((child) => child.killed)).toEqual([true]);
  });
});
