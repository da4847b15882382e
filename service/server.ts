import { hkdfSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkOwner, type FirstRun, firstStart, type OwnerOptions } from './accounts/first-start.ts';
import { createMailedTokens } from './accounts/mailed-tokens.ts';
import { buildApp } from './app.ts';
import { createCaches } from './caches.ts';
import { createCredentialCache } from './credentials/credential-cache.ts';
import { createLastUse } from './credentials/last-use.ts';
import { createTokens } from './credentials/tokens.ts';
import { openDataFolder } from './data-folder.ts';
import { checkReachable, migrate, openDatabase } from './database/database.ts';
import { displayUrlOf } from './database/display-url.ts';
import { openIndexScanPool } from './database/index-scan-pool.ts';
import { startPrivatePostgres } from './database/private-postgres.ts';
import { withLargestBody } from './files/body-limit.ts';
import { createFileWrites } from './files/writes.ts';
import { checkDatabaseDisk, checkObjectsDisk } from './free-space.ts';
import type { Services } from './handler.ts';
import { createHealth } from './health.ts';
import { type AttemptLimit, createSharedAttemptLimiter, defaultAttemptLimit } from './http/attempt-limiter.ts';
import { createFixedWindows } from './http/fixed-window.ts';
import { createIdempotentCalls } from './http/idempotency.ts';
import { createKnownSources } from './http/known-sources.ts';
import { type ListenAddress, listen } from './http/listener.ts';
import { createOutboundHttp } from './http/outbound.ts';
import { portalHosts } from './http/portal-hosts.ts';
import { defaultRequestLimits, type RequestLimits } from './http/rate-limits.ts';
import { createSharedBuckets } from './http/shared-buckets.ts';
import { jobHandlers } from './jobs/handlers.ts';
import { openJobs, type RunningJobs } from './jobs/jobs.ts';
import { createLinkReads } from './links/reads.ts';
import { createLogger, type LogLevel } from './log.ts';
import { openMail } from './mail/open.ts';
import { type RunningStorage, startStorage } from './object-storage.ts';
import { claimObjectsFolder } from './objects-folder.ts';
import { defaultSenderLimits, type SenderLimits } from './portals/sender-limits.ts';
import { publishTo } from './realtime/broker.ts';
import { parseBrokerUrl } from './realtime/broker-url.ts';
import { openPackageEvents } from './realtime/events.ts';
import { createStreamPermits } from './realtime/stream-permits.ts';
import { createReceiptSigner } from './receipts/signer.ts';
import { createSeal } from './seal.ts';
import { StartError } from './start-error.ts';
import { publicUrls } from './urls.ts';

export type { FirstRun, OwnerOptions };

export interface ServiceOptions {
  readonly listen: ListenAddress;
  /** Where local storage listens. Default: the same host, the port after the API's (or any, if that is any). */
  readonly storageListen?: ListenAddress;
  /** Where the operator's monitoring reads `/metrics`; nowhere unless given. It asks for no credential. */
  readonly metricsListen?: ListenAddress;
  readonly dataDir: string;
  /** An own PostgreSQL, `postgres://…`; without it a private one runs in the data folder. */
  readonly databaseUrl?: string;
  /** S3-compatible storage (the form is described in storage/open.ts); without it objects are in the data folder. */
  readonly storageUrl?: string;
  /** A storage that is open already, in place of both; whoever opened it closes it, after every service that uses it. */
  readonly storage?: Omit<RunningStorage, 'close'>;
  /** A mail server, `smtp://…` (the form is described in mail/smtp-url.ts); without it mail lies in the data folder. */
  readonly smtpUrl?: string;
  /** Whom mail is from: `Name <address>` or an address. */
  readonly mailFrom?: string;
  /** An MQTT broker that is told of packages' progress, `mqtt[s]://…` (the form is described in realtime/broker-url.ts). */
  readonly realtimeUrl?: string;
  /** How people outside reach the API and the storage, where that is not the address listened on. */
  readonly publicUrl?: string;
  readonly storagePublicUrl?: string;
  /** Bytes of the largest body that what stands before the storage lets through; by default there is no such bound. */
  readonly storageMaxBody?: number;
  /** Portals have addresses of their own under it, `{subdomain}.{base domain}`: `example.com`. */
  readonly baseDomain?: string;
  /** Where people get the app, `https://…`: the pages lead there where it does not open. */
  readonly appUrl?: string;
  /** For the first start only. */
  readonly owner?: OwnerOptions;
  readonly logLevel?: LogLevel;
  readonly limits?: Partial<RequestLimits> & { readonly attempts?: AttemptLimit; readonly senders?: Partial<SenderLimits> };
  /** Addresses of proxies whose `X-Forwarded-For` is believed, comma-separated. */
  readonly trustProxy?: string;
  /** Lets webhooks go to loopback and private networks. Without it they go to the public network only. */
  readonly allowPrivateWebhooks?: boolean;
  /** Folder with the built download page; without it the project's own `web/dist`. */
  readonly webDir?: string;
  readonly now?: () => Date;
}

export interface RunningService {
  /** Where the API listens. */
  readonly url: string;
  /** Where the storage answers; an S3 storage's own address is not known here and is empty. */
  readonly storageUrl: string;
  /** Where `/metrics` is; empty where nobody measures. */
  readonly metricsUrl: string;
  /** What the first start made; absent at every other. The password is nowhere else. */
  readonly firstRun?: FirstRun;
  /** What operators' commands and tests work with, beside the API. */
  readonly services: Services;
  /** Resolves when something ended that the service cannot go on without; close it and start again. */
  readonly failed: Promise<Error>;
  /** Stops: requests under way have 10 s. No process is left. May be called again. */
  close(): Promise<void>;
}

const drainMilliseconds = 10_000;
const flushMilliseconds = 10_000;
const sweepMilliseconds = 3_600_000;
const asideConnections = 2;

/**
 * Starts the service and everything it needs. Errors: `StartError`, whose message is for the operator; nothing
 * is left running then.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const now = options.now ?? (() => new Date());
  const logger = createLogger(options.logLevel ?? 'info');
  const cleanups: (() => Promise<unknown> | unknown)[] = [];
  const undo = async () => {
    for (const cleanup of cleanups.splice(0).reverse()) {
      await Promise.resolve()
        .then(cleanup)
        .catch((error: unknown) => logger.error({ err: error }, 'something did not close in order'));
    }
  };
  const failed = Promise.withResolvers<Error>();

  try {
    for (const address of [options.publicUrl, options.storagePublicUrl]) checkPublicUrl(address);
    // Here already, since making a database takes seconds.
    checkOwner(options.owner ?? {});
    const ownAddresses = [options.publicUrl, options.storagePublicUrl].filter((address) => address !== undefined);
    const hosts = portalHosts(options.baseDomain, ownAddresses);
    const folder = await openDataFolder(options.dataDir);
    cleanups.push(() => folder.release());
    const listener = await listen(options.listen, { trustProxy: options.trustProxy, log: logger });
    cleanups.push(() => listener.close(0));

    // Before the first start makes anything: what it generates is told only once, when all stands.
    const base = options.publicUrl ?? listener.url;
    const brokerAddress = options.realtimeUrl === undefined ? null : parseBrokerUrl(options.realtimeUrl);
    const mail = openMail({ smtpUrl: options.smtpUrl, from: options.mailFrom, outbox: join(folder.path, 'outbox'), publicUrl: base });
    const privately = options.databaseUrl === undefined;
    const health = createHealth(
      {
        ...(privately && { 'database disk': checkDatabaseDisk(folder.postgres) }),
        ...(options.storageUrl === undefined && options.storage === undefined && { 'objects disk': checkObjectsDisk(folder.objects) }),
      },
      now,
    );
    const openObjects = () =>
      startStorage({
        root: folder.objects,
        secret: new Uint8Array(hkdfSync('sha256', folder.secret, '', 'longshore storage signatures', 32)),
        listen: options.storageListen ?? { host: options.listen.host, port: options.listen.port === 0 ? 0 : listener.port + 1 },
        storageUrl: options.storageUrl,
        publicUrl: options.storagePublicUrl,
        apiPublicUrl: options.publicUrl,
        trustProxy: options.trustProxy,
        log: logger,
        health,
        onDeath: (error) => failed.resolve(error),
      });
    const own = options.storage === undefined ? await openObjects() : null;
    if (own) cleanups.push(() => own.close(drainMilliseconds));
    const objects = own ?? options.storage!;

    const postgres = privately
      ? await startPrivatePostgres({
          folder: folder.postgres,
          secret: folder.secret,
          logFile: join(folder.path, 'postgres.log'),
          log: logger,
        })
      : null;
    if (postgres) cleanups.push(() => postgres.close());
    const db = openDatabase(postgres ? postgres.connection : { connectionString: options.databaseUrl! }, logger);
    cleanups.push(() => db.destroy());
    if (!privately) await checkReachable(db, displayUrlOf(options.databaseUrl!));
    await migrate(db, logger);
    const firstRun = await firstStart(db, options.owner ?? {}, folder.secret, now());
    if (own && options.storageUrl === undefined) await claimObjectsFolder(db, folder.objects);

    const jobs = await openJobs(postgres ? postgres.connection : { connectionString: options.databaseUrl! }, logger);
    cleanups.push(() => jobs.close(drainMilliseconds));

    const events = openPackageEvents({
      db,
      connection: postgres ? postgres.connection : { connectionString: options.databaseUrl! },
      now,
      log: logger,
    });
    cleanups.push(() => events.close());
    if (brokerAddress) {
      const broker = publishTo(brokerAddress, events, logger);
      cleanups.push(() => broker.close());
    }

    // Used within requests that may hold a connection of the other pool.
    const aside = openDatabase(postgres ? postgres.connection : { connectionString: options.databaseUrl! }, logger, asideConnections);
    cleanups.push(() => aside.destroy());
    const indexScanPool = openIndexScanPool(postgres ? postgres.connection : { connectionString: options.databaseUrl! }, logger);
    cleanups.push(() => indexScanPool.destroy());
    const ofStrangers = new Uint8Array(hkdfSync('sha256', folder.secret, '', 'longshore what strangers do', 32));
    const buckets = createSharedBuckets(aside, ofStrangers, now);
    const knownSources = createKnownSources(db, ofStrangers, now);
    const requestLimits = { ...defaultRequestLimits, ...options.limits };

    const services: Services = {
      db,
      indexScanPool,
      storage: withLargestBody(objects.storage, options.storageMaxBody),
      tokens: createTokens(folder.secret, now),
      credentials: createCredentialCache(db),
      urls: publicUrls(base),
      buckets,
      senderLimits: { ...defaultSenderLimits, ...options.limits?.senders },
      attemptLimiter: createSharedAttemptLimiter(buckets, options.limits?.attempts ?? defaultAttemptLimit, now),
      knownSources,
      countSignIn: createFixedWindows(requestLimits.signInsPerAddress, 60_000, Date.now),
      caches: createCaches(),
      fileWrites: createFileWrites(db),
      links: createLinkReads(db),
      jobs,
      seal: createSeal(folder.secret),
      receipts: await createReceiptSigner(folder.secret),
      outbound: createOutboundHttp({ allowPrivate: options.allowPrivateWebhooks ?? false }),
      mail,
      mailedTokens: createMailedTokens(folder.secret),
      events,
      streamPermits: createStreamPermits(),
      now,
    };
    const lastUse = createLastUse(db, logger);
    const idempotent = createIdempotentCalls(db, folder.secret, now);
    const metrics = options.metricsListen ? await serveMetrics(options.metricsListen, jobs, logger) : null;
    if (metrics) cleanups.push(() => metrics.close());
    const app = await buildApp({
      ...(metrics && { answered: metrics.answered }),
      services,
      idempotent,
      health,
      keyUsed: lastUse.keyUsed,
      limits: requestLimits,
      pages: {
        publicUrl: base,
        storageOrigin: objects.publicOrigin,
        version: packageVersion(),
        portalHosts: hosts,
        ...(options.appUrl !== undefined && { appUrl: options.appUrl }),
        ...(options.webDir !== undefined && { webDir: options.webDir }),
      },
      logger,
      trustProxy: options.trustProxy,
    });
    await app.ready();
    await jobs.work(jobHandlers, services);
    listener.serve(app.routing);

    const sweep = async () => {
      for (const over of [idempotent, buckets, knownSources]) {
        await over.sweep().catch((error: unknown) => logger.warn({ err: error }, 'what is over could not be deleted'));
      }
    };
    const timers = [setInterval(() => void lastUse.flush(), flushMilliseconds), setInterval(() => void sweep(), sweepMilliseconds)];
    for (const timer of timers) timer.unref();
    cleanups.push(async () => {
      for (const timer of timers) clearInterval(timer);
      // Streams would hold the close up until they are cut.
      await events.close();
      await listener.close(drainMilliseconds);
      await app.close();
      await lastUse.flush();
    });

    let closing: Promise<void> | undefined;
    return {
      url: listener.url,
      storageUrl: objects.url,
      metricsUrl: metrics?.url ?? '',
      ...(firstRun && { firstRun }),
      services,
      failed: failed.promise,
      close: () => {
        closing ??= undo();
        return closing;
      },
    };
  } catch (error) {
    await undo();
    if (error instanceof StartError) throw error;
    logger.debug({ err: error }, 'the service could not start');
    throw error;
  }
}

async function serveMetrics(address: ListenAddress, jobs: Pick<RunningJobs, 'depths'>, logger: ReturnType<typeof createLogger>) {
  const listener = await listen(address);
  // Loaded here: a service that nobody measures carries none of it.
  const [{ createServiceMetrics }, { metricsHandler }] = await Promise.all([import('./metrics/metrics.ts'), import('./metrics/serve.ts')]);
  const metrics = createServiceMetrics({ version: packageVersion(), queues: jobs.depths });
  listener.serve(metricsHandler(metrics, (error) => logger.warn({ err: error }, 'the metrics could not be read')));
  return { url: listener.url, answered: metrics.answered, close: () => listener.close(0) };
}

function checkPublicUrl(address: string | undefined): void {
  if (address === undefined || (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol))) return;
  throw new StartError('option_invalid', `${address} is not a public address. Give it like https://files.example.com.`);
}

function packageVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
