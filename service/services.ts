import { KeyedLock } from '#net/keyed-lock.ts';
import type { Tracer } from '#net/tracing/span.ts';
import { createMailedTokens } from './accounts/mailed-tokens.ts';
import { createCaches } from './caches.ts';
import { createCloudProviders } from './connections/open-provider.ts';
import { createCredentialCache } from './credentials/credential-cache.ts';
import { createTokens } from './credentials/tokens.ts';
import type { DataFolder } from './data-folder.ts';
import { openDatabase } from './database/database.ts';
import { openIndexScanPool } from './database/index-scan-pool.ts';
import { withLargestBody } from './files/body-limit.ts';
import { createFileWrites } from './files/writes.ts';
import { openGatewayWakeups } from './gateways/wakeups.ts';
import type { Services } from './handler.ts';
import { createSharedAttemptLimiter, defaultAttemptLimit } from './http/attempt-limiter.ts';
import { createKnownSources } from './http/known-sources.ts';
import { createOutboundHttp } from './http/outbound.ts';
import { createPermits } from './http/permits.ts';
import { defaultRequestLimits } from './http/rate-limits.ts';
import { createSharedBuckets } from './http/shared-buckets.ts';
import { createStrictWindows } from './http/strict-windows.ts';
import type { Scrub } from './integrity/scrub.ts';
import { openJobs, type RunningJobs } from './jobs/jobs.ts';
import { strangersKey } from './keys.ts';
import { createLinkReads } from './links/reads.ts';
import type { Log } from './log.ts';
import type { Mail } from './mail/open.ts';
import type { ServiceFacts } from './operator/ports.ts';
import type { ServiceOptions } from './options.ts';
import { senderLimits } from './portals/sender-limits.ts';
import type { BrokerAddress } from './realtime/broker-url.ts';
import { openPackageEvents } from './realtime/events.ts';
import { allStreams } from './realtime/stream-shares.ts';
import { createReceiptSigner } from './receipts/signer.ts';
import type { RunningDatabase } from './roles/database.ts';
import type { Roles } from './roles/roles.ts';
import type { RunningStorage } from './roles/storage.ts';
import { createSeal } from './seal.ts';
import { createShutdown } from './shutdown.ts';
import { createSsoHttp } from './sso/http.ts';
import { systemTxtResolver } from './sso/txt-records.ts';
import type { TransferQueue } from './transfers/ports.ts';
import { publicUrls } from './urls.ts';
import type { VirusScanner } from './viruses/ports.ts';

const sideConnections = 2;

interface ServicesParts {
  readonly roles: Roles;
  readonly options: Pick<
    ServiceOptions,
    'limits' | 'storageMaxBody' | 'allowPrivateWebhooks' | 'allowPrivateConnections' | 'allowPrivateSso' | 'resolveTxt'
  >;
  readonly folder: Pick<DataFolder, 'secret'>;
  readonly database: Pick<RunningDatabase, 'connection' | 'db'>;
  readonly storage: Pick<RunningStorage, 'storage'>;
  readonly transfers: TransferQueue;
  readonly mail: Mail;
  /** Null: none. */
  readonly broker: BrokerAddress | null;
  readonly publicUrl: string;
  readonly facts: ServiceFacts;
  readonly scrub: Scrub | null;
  readonly scanner: VirusScanner | null;
  /** Null: spans are not sent to a collector. */
  readonly tracer?: Tracer | null;
  readonly now: () => Date;
  readonly log: Log;
}

interface OpenServices {
  /** What every handler and job gets. */
  readonly services: Services;
  readonly jobs: RunningJobs;
  /** Lets jobs in progress finish for `drainMilliseconds`. */
  stop(drainMilliseconds: number): Promise<void>;
}

/** Opens what the API and the worker share, over a database and a storage that are already running. */
export async function openServices(parts: ServicesParts): Promise<OpenServices> {
  const { options, folder, database, now, log } = parts;
  const { connection, db } = database;
  const { secret } = folder;
  const shutdown = createShutdown(log);
  let drain = 0;
  const stop = async (drainMilliseconds: number) => {
    drain = drainMilliseconds;
    await shutdown.run();
  };
  try {
    const events = openPackageEvents({ db, connection, now, log });
    shutdown.add('the events', () => events.close());
    if (parts.broker) {
      // Loaded here: most services have no broker, and a start is mostly loading.
      const { publishTo } = await import('./realtime/broker.ts');
      const broker = publishTo(parts.broker, events, log);
      shutdown.add('the broker', () => broker.close());
    }
    // For use within requests that already hold a connection of the main pool.
    const sidePool = openDatabase(connection, log, sideConnections);
    shutdown.add('the database', () => sidePool.destroy());
    const indexScanPool = openIndexScanPool(connection, log);
    shutdown.add('the database', () => indexScanPool.destroy());
    // Closed first: until its jobs have ended they use all of the above.
    const jobs = await openJobs(connection, log, { role: parts.roles.has('worker') ? 'worker' : 'others', tracer: parts.tracer });
    shutdown.add('the jobs', () => jobs.close(drain));
    const strangers = strangersKey(secret);
    const buckets = createSharedBuckets(sidePool, strangers, now);
    const strictWindows = createStrictWindows({
      // A private database has one process. By the machine's clock, as the windows in memory.
      shared: parts.facts.privateDatabase ? null : createSharedBuckets(sidePool, strangers, () => new Date()),
      failed: (error) => log.warn({ err: error, onceAMinute: 'strict windows' }, 'a limit could not be counted for all nodes'),
    });
    const seal = createSeal(secret);
    const gateways = openGatewayWakeups(connection, log);
    shutdown.add('the gateways', () => gateways.close());
    const services: Services = {
      db,
      indexScanPool,
      storage: withLargestBody(parts.storage.storage, options.storageMaxBody),
      tokens: createTokens(secret, now),
      credentials: createCredentialCache(db),
      urls: publicUrls(parts.publicUrl),
      buckets,
      senderLimits: senderLimits(options.limits?.senders),
      attemptLimiter: createSharedAttemptLimiter(buckets, options.limits?.attempts ?? defaultAttemptLimit, now),
      knownSources: createKnownSources(db, strangers, now),
      strictWindows,
      countSignIn: strictWindows('sign-ins', options.limits?.signInsPerAddress ?? defaultRequestLimits.signInsPerAddress),
      caches: createCaches(),
      fileWrites: createFileWrites(db, now),
      legacyLists: new KeyedLock(),
      links: createLinkReads(db),
      jobs,
      jobQueues: jobs,
      seal,
      cloudProviders: createCloudProviders({ allowPrivate: options.allowPrivateConnections ?? false, seal, now, log }),
      receipts: await createReceiptSigner(secret),
      outbound: createOutboundHttp({ allowPrivate: options.allowPrivateWebhooks ?? false }),
      ssoHttp: createSsoHttp(options.allowPrivateSso ?? false),
      resolveTxt: options.resolveTxt ?? systemTxtResolver(),
      mail: parts.mail,
      mailedTokens: createMailedTokens(secret),
      events,
      streamPermits: createPermits({ perHolder: 10, total: allStreams }),
      cloudPermits: createPermits({ perHolder: 4, total: 64 }),
      transfers: parts.transfers,
      gateways,
      facts: parts.facts,
      scrub: parts.scrub,
      scanner: parts.scanner,
      now,
    };
    return { services, jobs, stop };
  } catch (error) {
    await stop(0);
    throw error;
  }
}
