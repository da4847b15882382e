import type { DataFolder } from '../data-folder.ts';
import type { Listener } from '../http/listener.ts';
import type { ServiceOptions } from '../options.ts';
import { senderLimits } from '../portals/sender-limits.ts';
import { createTransferProcess } from '../transfers/process/transfer-process.ts';
import { createTransferRunner, defaultTransferLimits, type TransferRunner } from '../transfers/runner.ts';
import { createAdaptiveLimit } from '../transfers/yielding/adaptive-limit.ts';
import { watchApi } from '../transfers/yielding/api-delay.ts';
import type { RunningDatabase } from './database.ts';
import type { RunningStorage } from './storage.ts';

interface TransfersParts {
  readonly options: Pick<ServiceOptions, 'transfers' | 'now' | 'limits' | 'storageMaxBody' | 'allowPrivateConnections' | 'logLevel'>;
  readonly folder: Pick<DataFolder, 'secret'>;
  readonly database: Pick<RunningDatabase, 'connection'>;
  /** Null: opened by somebody else, for this process alone. */
  readonly storage: Pick<RunningStorage, 'access'> | null;
  /** Answers the API, whose callers come before transfers. */
  readonly listener: Pick<Listener, 'server'>;
}

/** Transfers that yield to callers of the API. */
export interface YieldingTransfers extends TransferRunner {
  /** Of the parts' memory, from 0 to 1: what transfers may use now. */
  share(): number;
}

/** For a process without a worker: it only tells how many there are. */
export function openTransfersOfOthers({ options }: Pick<TransfersParts, 'options'>): YieldingTransfers {
  const { ownProcess: _, ...given } = options.transfers ?? {};
  return { ...createTransferRunner({ ...defaultTransferLimits, ...given, perNode: 0 }), share: () => 1 };
}

/** What works on transfers to and from cloud connections: a process of its own, or this one. It is started with the worker. */
export function openTransfers({ listener, ...parts }: TransfersParts): YieldingTransfers {
  const limit = createAdaptiveLimit(watchApi(listener.server), (share) => runner.limitParts(share));
  const runner = openRunner(parts, limit.running);
  return {
    ...runner,
    share: limit.share,
    start(services, log) {
      limit.start();
      runner.start(services, log);
    },
    async stop() {
      limit.stop();
      await runner.stop();
    },
  };
}

function openRunner(
  { options, folder, database, storage }: Omit<TransfersParts, 'listener'>,
  onRunning: (transfers: number) => void,
): TransferRunner {
  const { ownProcess = false, ...given } = options.transfers ?? {};
  const limits = { ...defaultTransferLimits, ...given };
  if (!ownProcess || storage === null || options.now !== undefined) return createTransferRunner(limits, undefined, onRunning);
  const begin = {
    connection: database.connection,
    secret: Buffer.from(folder.secret).toString('base64'),
    storage: storage.access,
    limits,
    senderLimits: senderLimits(options.limits?.senders),
    logLevel: options.logLevel ?? 'info',
    ...(options.storageMaxBody !== undefined && { storageMaxBody: options.storageMaxBody }),
    ...(options.allowPrivateConnections !== undefined && { allowPrivateConnections: options.allowPrivateConnections }),
  };
  return createTransferProcess(begin, onRunning);
}
