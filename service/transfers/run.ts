import type { Kysely } from 'kysely';
import { type ProviderName, providers } from '#protocol/providers.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { openIfPossible } from '../connections/authorization.ts';
import type { ConnectionCredentials, SingleUseCredentials } from '../connections/open-provider.ts';
import { connectionOk, connectionStateAfter, recordConnectionState } from '../connections/state.ts';
import type { Database } from '../database/schema/database.ts';
import { isByGateway } from '../gateways/providers.ts';
import { wakeGatewaysOf } from '../gateways/wakeups.ts';
import type { Services } from '../handler.ts';
import type { Log } from '../log.ts';
import type { PackageEvents } from '../realtime/events.ts';
import { destinationOfConnection } from './create.ts';
import { cleanUp } from './delivery/clean-up.ts';
import { deliver } from './delivery/deliver.ts';
import { DestinationMovedError } from './delivery/errors.ts';
import { cleanUpAfterImport, runImport } from './import/run-import.ts';
import { openJournal } from './journal.ts';
import { givenFolder, landingFolder } from './landing.ts';
import { type Claimed, LeaseLostError } from './lease.ts';
import { keepLease, type LeaseKeeper } from './lease-keeper.ts';
import type { TransferMemory } from './part-memory.ts';
import { planTransfer } from './plan.ts';
import type { TransferRow } from './record.ts';
import { openSingleUse } from './sealed.ts';
import { handOver, leftTooOften, type Settling, settleCleanup, settleComplete, settleFailedCleanup, settleFailure } from './settle.ts';

export interface TransferWork
  extends Pick<Services, 'db' | 'jobs' | 'seal' | 'storage' | 'caches' | 'fileWrites' | 'now' | 'cloudProviders'> {
  readonly events: Pick<PackageEvents, 'changed'>;
  readonly log: Log;
  readonly record: Settling['record'];
  readonly memory: TransferMemory;
}

/** What of a transfer goes at the same time. */
const deliveryLimits = { files: 32, parts: 4 } as const;

class LeftTooOftenError extends Error {
  override readonly name = 'LeftTooOftenError';
}

/**
 * Works on a transfer that this process has claimed, until it is over, has to wait, or is another's. `stopping` puts it down for
 * another process. Resolves to the bytes that have arrived meanwhile; never rejects.
 */
export async function runTransfer({ row, lease }: Claimed, work: TransferWork, stopping: AbortSignal): Promise<number> {
  const { db, log } = work;
  const changed = () => work.events.changed(row.package_id);
  changed();
  const before = { files: row.files, bytes: Number(row.bytes) };
  const keeper = keepLease({ db, now: work.now, lease, before, stopping, onProgress: changed });
  try {
    if (row.cleanup) await removeUnfinished(row, work, keeper);
    else await attempt(row, work, keeper);
    if (keeper.ended() === 'cancelled') await removeUnfinished(row, work, keeper);
  } catch (error) {
    if (!(error instanceof LeaseLostError))
      log.warn({ err: error, transfer: row.id }, 'a transfer could not be settled; another process will');
  } finally {
    await keeper.close();
  }
  return keeper.arrived().done.bytes - Number(row.bytes);
}

async function attempt(claimed: TransferRow, work: TransferWork, keeper: LeaseKeeper): Promise<void> {
  const { lease } = keeper;
  try {
    if (leftTooOften(claimed)) throw new LeftTooOftenError('The processes that worked on it ended, again and again.');
    if (claimed.direction === 'cloud_to_service') {
      const done = await moving(claimed, work, (provider) => runImport(provider, claimed, work, keeper));
      return await settleComplete(work, lease, '', done);
    }
    const row = await planTransfer(work, lease, keeper.signal);
    if (row.total_files === 0) {
      const none = row.filter_rules === null ? 'The package holds no files.' : 'Its filter let none of the files through.';
      return await settleComplete(work, lease, none, { files: 0, bytes: 0 });
    }
    const { done, leftOut } = await moving(row, work, (provider) => deliverTo(provider, row, work, keeper));
    await settleComplete(work, lease, leftOutMessage(row.provider, leftOut), done);
  } catch (error) {
    switch (keeper.ended()) {
      case 'lost':
      case 'cancelled':
        return;
      case 'stopping':
        return await handOver(work, lease);
      case null: {
        const outcome = await settleFailure(work, lease, error, keeper.arrived());
        if (outcome === null) keeper.cancelled();
        work.log.info({ err: error, transfer: lease.transferId, outcome: outcome?.kind }, 'an attempt at a transfer failed');
      }
    }
  }
}

function leftOutMessage(provider: ProviderName, count: number): string {
  if (count === 0) return '';
  const files = count === 1 ? 'A file without content was' : `${count} files without content were`;
  return `${files} left out, since ${providers[provider].label} takes none.`;
}

async function deliverTo(provider: CloudProvider, row: TransferRow, work: TransferWork, keeper: LeaseKeeper) {
  const facts = await factsOf(work.db, row);
  return await deliver({
    provider,
    storage: work.storage,
    journal: openJournal({ db: work.db, seal: work.seal, lease: keeper.lease }),
    folder: landingFolder(
      row.target_directory_id,
      { portal: facts.portal, package: facts.package, sender: facts.sender, date: row.created_at },
      provider.paths,
    ),
    givenFolder: givenFolder(row.target_directory_id, provider.paths),
    manifest: facts.writesManifest
      ? {
          transferId: row.id,
          packageId: row.package_id,
          packageName: facts.package,
          portalName: facts.portal,
          createdAt: row.created_at,
        }
      : null,
    memory: work.memory,
    limits: deliveryLimits,
    signal: keeper.signal,
    onProgress: keeper.progress,
  });
}

/** Ends uploads that nobody goes on with. Complete files stay: a retry goes on from there. */
async function removeUnfinished(row: TransferRow, work: TransferWork, keeper: LeaseKeeper): Promise<void> {
  const signal = keeper.forCleanup();
  try {
    // What was cancelled before its first upload has nothing to be removed, and its provider need not be asked.
    if (row.direction === 'cloud_to_service') await cleanUpAfterImport(row, work, keeper);
    else if (await hasBegun(work.db, row.id)) {
      const journal = openJournal({ db: work.db, seal: work.seal, lease: keeper.lease });
      await withProvider(row, work, (provider) =>
        cleanUp({ provider, journal, givenFolder: givenFolder(row.target_directory_id, provider.paths), signal }),
      );
    }
    await settleCleanup(work, keeper.lease);
    // Meanwhile it may have been taken up again.
    if (isByGateway(row.provider)) await wakeGatewaysOf(work.db, [row.cloud_connection_id!]);
  } catch (error) {
    if (keeper.ended() === 'stopping') return await handOver(work, keeper.lease);
    if (keeper.ended() === 'lost') return;
    work.log.info({ err: error, transfer: row.id }, 'what a transfer had begun could not be removed');
    await settleFailedCleanup(work, keeper.lease, error);
  }
}

async function hasBegun(db: Kysely<Database>, transferId: string): Promise<boolean> {
  const row = await db
    .selectFrom('cloud_transfers')
    .select('folder')
    .where('id', '=', transferId)
    .where('folder', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Moves what a transfer is to move. That it could says that its connection works, whatever was kept of it. */
async function moving<T>(row: TransferRow, work: TransferWork, use: (provider: CloudProvider) => Promise<T>): Promise<T> {
  return await withProvider(row, work, async (provider, credentials) => {
    const done = await use(provider);
    if ('id' in credentials) await recordConnectionState(work.db, credentials, connectionOk);
    return done;
  });
}

type Credentials = ConnectionCredentials | SingleUseCredentials;

/** Opens the provider of a transfer. What a failure says of a connection is kept with it. */
async function withProvider<T>(
  row: TransferRow,
  work: TransferWork,
  use: (provider: CloudProvider, credentials: Credentials) => Promise<T>,
): Promise<T> {
  const credentials = await credentialsOf(row, work);
  if ('id' in credentials) await requireSamePlace(row, credentials, work);
  try {
    return await work.cloudProviders.use(credentials, (provider) => use(provider, credentials));
  } catch (error) {
    const state = connectionStateAfter(error);
    if (state && 'id' in credentials) await recordConnectionState(work.db, credentials, state);
    throw error;
  }
}

/**
 * A connection may lead to another bucket than it did. What was begun there is not gone on with here: half of the files would
 * be in each. Errors: `DestinationMovedError`.
 */
async function requireSamePlace(row: TransferRow, credentials: ConnectionCredentials, { db, seal }: TransferWork): Promise<void> {
  // Credentials that cannot be opened are told of by whoever opens them.
  if (openIfPossible(seal, credentials) === null) return;
  const destination = destinationOfConnection(seal, credentials);
  if (destination.equals(row.destination)) return;
  if (row.folder !== null) throw new DestinationMovedError();
  await db.updateTable('cloud_transfers').set({ destination }).where('id', '=', row.id).where('lease_id', '=', row.lease_id).execute();
}

async function credentialsOf(row: TransferRow, { db, seal }: TransferWork): Promise<Credentials> {
  if (row.sealed_authorization !== null) {
    return { provider: row.provider, authorization: openSingleUse(seal, row.id, row.sealed_authorization) };
  }
  // Of a deleted connection too: transfers in progress finish.
  return await db
    .selectFrom('cloud_connections')
    .select(['id', 'provider', 'sealed_authorization'])
    .where('id', '=', row.cloud_connection_id)
    .executeTakeFirstOrThrow();
}

interface Facts {
  readonly package: string;
  readonly sender: string;
  /** Empty for a package that came by no Portal. */
  readonly portal: string;
  readonly writesManifest: boolean;
}

async function factsOf(db: Kysely<Database>, row: TransferRow): Promise<Facts> {
  const facts = await db
    .selectFrom('packages')
    .leftJoin('portals', 'portals.id', 'packages.portal_id')
    .leftJoin('cloud_connections', (join) => join.on('cloud_connections.id', '=', row.cloud_connection_id))
    .select(['packages.name', 'packages.sender', 'portals.name as portal', 'cloud_connections.upload_transfer_manifest as manifest'])
    .where('packages.id', '=', row.package_id)
    .executeTakeFirstOrThrow();
  return { package: facts.name, sender: facts.sender, portal: facts.portal ?? '', writesManifest: facts.manifest ?? false };
}
