import { endProcess } from '#filesystem/end-process.ts';
import { createLogger } from '../../log.ts';
import { createTransferCounters } from '../counters.ts';
import { createTransferRunner, type TransferRunner } from '../runner.ts';
import type { Beginning, FromTransfers, ToTransfers } from './messages.ts';
import { lowerPriority } from './priority.ts';
import { openRunnerServices } from './services.ts';

/**
 * The process for transfers (transfer-process.ts starts it). It ends with the service, however that ends: what it had leased
 * is then as that of any dead process.
 */

/**
 * Below the API, its storage and PostgreSQL: whoever waits for an answer comes first. At 10 a busy machine would leave next to
 * nothing for transfers, and callers would wait no less (docs/performance/deliveries.md).
 */
const niceness = 5;
const aliveMilliseconds = 5_000;

const send = (message: FromTransfers): void => {
  if (process.connected) process.send!(message, undefined, undefined, () => undefined);
};

let begun: Promise<Pick<TransferRunner, 'wake' | 'limitParts' | 'stop'>> | null = null;
let stopping = false;

async function begin(message: Beginning) {
  const log = createLogger(message.logLevel);
  const { services, close } = await openRunnerServices(message, { changed: (packageId) => send({ type: 'changed', packageId }) }, log);
  const counters = {
    ...createTransferCounters(),
    countEnd: (event: 'complete' | 'error') => send({ type: 'ended', event }),
    countBytes: (bytes: number) => send({ type: 'arrived', bytes }),
  };
  const runner = createTransferRunner(message.limits, counters, (transfers) => send({ type: 'running', transfers }));
  runner.start(services, log);
  return {
    wake: runner.wake,
    limitParts: runner.limitParts,
    async stop() {
      await runner.stop();
      await close();
    },
  };
}

function stop(): void {
  if (stopping) return;
  stopping = true;
  const stopped = begun?.then((one) => one.stop()) ?? Promise.resolve();
  stopped.then(
    () => process.exit(0),
    () => process.exit(1),
  );
}

process.on('message', (message: ToTransfers) => {
  if (message.type === 'begin') {
    begun ??= begin(message);
    begun.catch((error: unknown) => {
      createLogger(message.logLevel).error({ err: error }, 'the process for transfers could not begin');
      process.exit(1);
    });
  } else if (message.type === 'stop') stop();
  else if (message.type === 'limit') void begun?.then(({ limitParts }) => limitParts(message.share));
  else void begun?.then(({ wake }) => wake());
});
// At once, also where a disk that does not answer would keep it.
process.on('disconnect', endProcess);
// Signals that whole groups of processes get, by a terminal or systemd: the service decides when this one ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

// The service may have ended before anything was heard of it.
if (!process.connected) process.exit(1);
lowerPriority(niceness);
setInterval(() => send({ type: 'alive' }), aliveMilliseconds);
