import type { DataFolder } from '../data-folder.ts';
import type { ServiceOptions } from '../options.ts';
import { senderLimits } from '../portals/sender-limits.ts';
import { createTransferProcess } from '../transfers/process/transfer-process.ts';
import { createTransferRunner, defaultTransferLimits, type TransferRunner } from '../transfers/runner.ts';
import type { RunningDatabase } from './database.ts';
import type { RunningStorage } from './storage.ts';

interface TransfersParts {
  readonly options: Pick<ServiceOptions, 'transfers' | 'now' | 'limits' | 'storageMaxBody' | 'allowPrivateConnections' | 'logLevel'>;
  readonly folder: Pick<DataFolder, 'secret'>;
  readonly database: Pick<RunningDatabase, 'connection'>;
  /** Null: opened by somebody else, for this process alone. */
  readonly storage: Pick<RunningStorage, 'access'> | null;
}

/** What works on transfers to and from cloud connections: a process of its own, or this one. It is started with the worker. */
export function openTransfers({ options, folder, database, storage }: TransfersParts): TransferRunner {
  const { ownProcess = false, ...given } = options.transfers ?? {};
  const limits = { ...defaultTransferLimits, ...given };
  if (!ownProcess || storage === null || options.now !== undefined) return createTransferRunner(limits);
  return createTransferProcess({
    connection: database.connection,
    secret: Buffer.from(folder.secret).toString('base64'),
    storage: storage.access,
    limits,
    senderLimits: senderLimits(options.limits?.senders),
    logLevel: options.logLevel ?? 'info',
    ...(options.storageMaxBody !== undefined && { storageMaxBody: options.storageMaxBody }),
    ...(options.allowPrivateConnections !== undefined && { allowPrivateConnections: options.allowPrivateConnections }),
  });
}
