import type { DataFolder } from '../data-folder.ts';
import type { Listener } from '../http/listener.ts';
import type { Log } from '../log.ts';
import type { ServiceOptions } from '../options.ts';
import { senderLimits } from '../portals/sender-limits.ts';
import { createTransferProcess } from '../transfers/process/transfer-process.ts';
import { createTransferRunner, defaultTransferLimits, type TransferRunner } from '../transfers/runner.ts';
import { createAdaptiveLimit } from '../transfers/yielding/adaptive-limit.ts';
import { watchApi } from '../transfers/yielding/api-delay.ts';
import type { ApiWatch } from '../transfers/yielding/api-watch.ts';
import { watchDelay } from '../transfers/yielding/delay-watch.ts';
import { reportApi } from '../transfers/yielding/report-api.ts';
import { openReportsFolder } from '../transfers/yielding/reports-folder.ts';
import { watchReports } from '../transfers/yielding/reports-watch.ts';
import type { RunningDatabase } from './database.ts';
import { areApart, type Roles } from './roles.ts';
import type { RunningStorage } from './storage.ts';

interface TransfersParts {
  readonly roles: Roles;
  readonly options: Pick<ServiceOptions, 'transfers' | 'now' | 'limits' | 'storageMaxBody' | 'allowPrivateConnections' | 'logLevel'>;
  readonly folder: Pick<DataFolder, 'path' | 'secret'>;
  readonly database: Pick<RunningDatabase, 'connection'>;
  /** Null: opened by somebody else, for this process alone. */
  readonly storage: Pick<RunningStorage, 'access'> | null;
  /** Answers the API, whose callers come before transfers. */
  readonly listener: Pick<Listener, 'server'>;
  readonly log: Log;
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
export function openTransfers({ roles, listener, log: ownLog, ...parts }: TransfersParts): YieldingTransfers {
  const api = openApiWatch({ roles, folder: parts.folder, listener, log: ownLog });
  const limit = createAdaptiveLimit(api, (share) => runner.limitParts(share));
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

/** Beside others it is what each API of this machine tells, as its own does where it has one (reportOwnApi). */
export function openApiWatch({ roles, folder, listener, log }: Pick<TransfersParts, 'roles' | 'folder' | 'listener' | 'log'>): ApiWatch {
  return areApart(roles) ? watchReports(openReportsFolder(folder.path), log) : watchDelay(watchApi(listener.server));
}

/** For an API beside workers of their own: tells those of this machine how late it is. */
export function reportOwnApi({ folder, listener, log }: Pick<TransfersParts, 'folder' | 'listener' | 'log'>): { stop(): Promise<void> } {
  return reportApi(watchApi(listener.server), openReportsFolder(folder.path), log);
}

function openRunner(
  { options, folder, database, storage }: Pick<TransfersParts, 'options' | 'folder' | 'database' | 'storage'>,
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
