import type { Log } from '../../log.ts';
import { createTransferCounters } from '../counters.ts';
import { isTransferDue } from '../lease.ts';
import { lookMilliseconds, type RunnerServices, type TransferRunner } from '../runner.ts';
import type { Beginning, FromTransfers } from './messages.ts';
import { forkTransfers, type TransferChild } from './transfer-child.ts';

/** A process without work for this long ends, and gives its memory back. */
const idleMilliseconds = 10 * 60_000;
/** Looks without a word from it after which it is taken for stuck: two minutes. Counted, since a machine may sleep. */
const silentLooks = 24;
/** Milliseconds that it has for a stop in order. */
const stopMilliseconds = 10_000;
const restart = { first: 500, most: 30_000 } as const;

interface Ports {
  readonly startChild: () => TransferChild;
  readonly isDue: typeof isTransferDue;
}

interface Parts {
  readonly services: Pick<RunnerServices, 'db'> & { readonly events: RunnerServices['events'] };
  readonly log: Log;
}

interface Current {
  readonly child: TransferChild;
  readonly gone: Promise<void>;
  looks: number;
  retiring: boolean;
  idle: NodeJS.Timeout | undefined;
}

/**
 * Works on transfers in a process of its own (child.ts), so that callers of the API wait neither for its event loop nor for its
 * CPU. The process is there while there is work: it is started when a transfer is due, and again when it ends by itself. To all
 * others it is a node with leases (lease.ts), which may die.
 */
export function createTransferProcess(
  begin: Omit<Beginning, 'type'>,
  onRunning: (transfers: number) => void,
  { startChild, isDue }: Ports = { startChild: forkTransfers, isDue: isTransferDue },
): TransferRunner {
  const counters = createTransferCounters();
  const { perNode, perConnection } = begin.limits;
  let parts: Parts | null = null;
  let current: Current | null = null;
  /** A transfer may be due that the process which ends now does not take on. */
  let again = false;
  let pause = 0;
  let pausing: NodeJS.Timeout | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  function receive(one: Current, { services }: Parts, message: FromTransfers): void {
    one.looks = 0;
    switch (message.type) {
      case 'running':
        onRunning(message.transfers);
        // It does its work.
        pause = 0;
        clearTimeout(one.idle);
        if (message.transfers === 0) retireWhenIdle(one);
        break;
      case 'changed':
        services.events.changed(message.packageId);
        break;
      case 'ended':
        counters.countEnd(message.event);
        break;
      case 'arrived':
        counters.countBytes(message.bytes);
    }
  }

  function retireWhenIdle(one: Current): void {
    one.idle = setTimeout(() => {
      one.retiring = true;
      one.child.send({ type: 'stop' });
    }, idleMilliseconds);
    one.idle.unref();
  }

  function launch(known: Parts): void {
    const child = startChild();
    const gone = Promise.withResolvers<void>();
    const one: Current = { child, gone: gone.promise, looks: 0, retiring: false, idle: undefined };
    current = one;
    child.listen({
      message: (message) => receive(one, known, message),
      exit(why) {
        clearTimeout(one.idle);
        current = null;
        onRunning(0);
        gone.resolve();
        if (stopped) return;
        if (one.retiring) {
          if (again) wake();
          return;
        }
        known.log.error(
          { ...why, pause, onceAMinute: 'the process for transfers ended' },
          'the process for transfers ended unexpectedly; it is started again',
        );
        // Until then a look finds what it has left behind; this only bounds how often it is started.
        pausing = setTimeout(() => {
          pausing = undefined;
          wake();
        }, pause);
        pausing.unref();
        pause = pause === 0 ? restart.first : Math.min(restart.most, pause * 2);
      },
    });
    child.send({ ...begin, type: 'begin' });
    retireWhenIdle(one);
  }

  function wake(): void {
    if (!parts || stopped || pausing) return;
    if (!current) {
      again = false;
      launch(parts);
    } else if (current.retiring) again = true;
    else current.child.send({ type: 'wake' });
  }

  /** While it is there it looks by itself. */
  async function look({ services, log }: Parts): Promise<void> {
    if (current) {
      if (++current.looks <= silentLooks) return;
      log.error({ pid: current.child.pid }, 'the process for transfers does not answer; it is killed');
      current.child.kill();
    } else if (!pausing && (await isDue(services.db))) wake();
  }

  return {
    perConnection,
    ...counters,
    wake,
    limitParts: (share) => current?.child.send({ type: 'limit', share }),
    start(services, log) {
      if (perNode === 0) return;
      const known = { services, log };
      parts = known;
      const looking = (): void =>
        void look(known).catch((error: unknown) =>
          log.warn({ err: error, onceAMinute: 'transfers' }, 'due transfers could not be looked for; it is tried again'),
        );
      timer = setInterval(looking, lookMilliseconds);
      timer.unref();
      looking();
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      clearTimeout(pausing);
      if (!current) return;
      const { child, gone, idle } = current;
      clearTimeout(idle);
      child.send({ type: 'stop' });
      const late = setTimeout(() => child.kill(), stopMilliseconds);
      await gone;
      clearTimeout(late);
    },
  };
}
