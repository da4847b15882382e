import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkOwner, type FirstRun, firstStart, type OwnerOptions } from './accounts/first-start.ts';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import { databaseProbe } from './database/probe.ts';
import { readDisks } from './disks.ts';
import { freeSpaceChecks } from './free-space.ts';
import { countGateways } from './gateways/watch.ts';
import type { Services } from './handler.ts';
import { createHealth, type Health } from './health.ts';
import { createIdempotentCalls } from './http/idempotency.ts';
import { type Listener, listen } from './http/listener.ts';
import { portalHosts } from './http/portal-hosts.ts';
import { defaultRequestLimits } from './http/rate-limits.ts';
import { storageGatewayPath } from './http/storage-gateway.ts';
import { readIntegrity } from './integrity/check-state.ts';
import { createScrub, integrityCheck } from './integrity/scrub.ts';
import { storageKey } from './keys.ts';
import { createLogger, type Log } from './log.ts';
import { openMail } from './mail/open.ts';
import { claimObjectsFolder } from './objects-folder.ts';
import { checkOperators, nameOperators } from './operator/operators.ts';
import { checkProxies, publicAddresses, type ServiceOptions } from './options.ts';
import { noLimits } from './quotas/limits.ts';
import { keepNewTeamQuotas } from './quotas/new-teams.ts';
import { createReadiness, type Readiness } from './readiness.ts';
import { parseBrokerUrl } from './realtime/broker-url.ts';
import { prepareApi } from './roles/api.ts';
import { startDatabase } from './roles/database.ts';
import { startMetrics } from './roles/metrics.ts';
import { type RunningStorage, startStorage } from './roles/storage.ts';
import { openTransfers } from './roles/transfers.ts';
import { startWorker } from './roles/worker.ts';
import { openServices } from './services.ts';
import { createShutdown } from './shutdown.ts';
import { StartError } from './start-error.ts';
import { storageProbe } from './storage-probe.ts';
import { type Certificate, openCertificate } from './tls/certificate.ts';
import { certificateEndCheck } from './tls/certificate-end.ts';
import { countQuery, currentTrace } from './tracing/current-trace.ts';
import { openTracing, type Tracing } from './tracing/open-tracing.ts';
import { openClamd } from './viruses/clamd.ts';
import { parseClamdUrl } from './viruses/clamd-address.ts';
import { scanCondition } from './viruses/condition.ts';

export type { FirstRun, OwnerOptions, ServiceOptions };

export interface RunningService {
  /** The URL that the API listens on. */
  readonly url: string;
  /** The URL of local storage; empty for S3. */
  readonly storageUrl: string;
  /** The URL of `/metrics`; empty if metrics are disabled. */
  readonly metricsUrl: string;
  /** What the first start created; absent at later starts. The password is stored nowhere else. */
  readonly firstRun?: FirstRun;
  /** The dependencies of the handlers, for tests. */
  readonly services: Services;
  /** Resolves when a part ended that the service needs: close the service and start it again. */
  readonly failed: Promise<Error>;
  /** Stops the service; requests in progress have 10 s to finish. No process is left. Called again, it leaves out the delay (`stopDelaySeconds`). */
  close(): Promise<void>;
}

const drainMilliseconds = 10_000;

/**
 * Starts the service: the storage, the database, in this process both the worker and the API, and beside it what works on
 * transfers (roles/). Errors: `StartError`, whose message is for the operator; nothing is left running then.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const now = options.now ?? (() => new Date());
  const logger = createLogger(options.logLevel ?? 'info', options.logFile);
  const shutdown = createShutdown(logger);
  const failed = Promise.withResolvers<Error>();
  try {
    const addresses = publicAddresses(options);
    // Checked early, since creating a database takes seconds.
    checkOwner(options.owner ?? {});
    checkOperators(options.operators ?? []);
    checkProxies(options);
    const hosts = portalHosts(options.baseDomain, addresses);
    const certificate = options.tls ? openCertificate(options.tls) : null;
    const version = packageVersion();
    const tracing = options.tracing ? await openTracing(options.tracing, version, logger) : null;
    shutdown.add(async () => tracing?.close());
    const folder = await openDataFolder(options.dataDir);
    shutdown.add(() => folder.release());
    const listener = await listen(options.listen, {
      trustProxy: options.trustProxy,
      proxyProtocol: options.proxyProtocol === 'api' || options.proxyProtocol === 'all',
      log: logger,
      tls: certificate?.pair,
    });
    shutdown.add(() => listener.close(0));

    // All settings are checked before the first start creates anything: its generated password is shown only once, at
    // the end.
    const publicUrl = options.publicUrl ?? listener.url;
    const broker = options.realtimeUrl === undefined ? null : parseBrokerUrl(options.realtimeUrl);
    const scanner = options.clamd ? openClamd(parseClamdUrl(options.clamd.url), options.clamd) : null;
    const mail = openMail({ smtpUrl: options.smtpUrl, from: options.mailFrom, outbox: join(folder.path, 'outbox'), publicUrl });
    const checks = { ...freeSpaceChecks(options, folder), 'stored bytes': integrityCheck(folder.path) };
    const ends = certificate && { "certificate's end": certificateEndCheck(() => certificate.end, now) };
    const health = createHealth({ ...checks, ...ends }, now);
    const own =
      options.storage === undefined
        ? await startOwnStorage(options, folder, listener, certificate, tracing, logger, health, failed.resolve)
        : null;
    certificate?.follow(
      (pair) => {
        listener.useCertificate(pair);
        own?.useCertificate(pair);
      },
      { log: logger, health },
    );
    shutdown.add(async () => certificate?.close());
    if (own) shutdown.add(() => own.close(drainMilliseconds));
    const storage = own ?? options.storage!;

    const database = await startDatabase(folder, options.databaseUrl, logger, tracing ? countQuery : undefined);
    shutdown.add(() => database.stop());
    await keepNewTeamQuotas(database.db, options.newTeamQuotas ?? noLimits);
    const firstRun = await firstStart(database.db, options.owner ?? {}, folder.secret, now());
    await nameOperators(database.db, options.operators ?? [], now(), logger);
    if (own && options.storageUrl === undefined) await claimObjectsFolder(database.db, folder.objects);

    const transfers = openTransfers({ options, folder, database, storage: own, listener });
    const facts = {
      version,
      health,
      dataDir: folder.path,
      objectsDir: own && options.storageUrl === undefined ? folder.objects : null,
      privateDatabase: options.databaseUrl === undefined,
      mailServer: options.smtpUrl !== undefined,
      operatorMfa: options.operatorMfa ?? false,
    };
    const scrubRate = options.scrubRate ?? null;
    const scrub =
      facts.objectsDir === null || scrubRate === null
        ? null
        : createScrub({ connection: database.connection, dataDir: folder.path, rate: scrubRate, now });
    const shared = await openServices({
      ...{ options, folder, database, storage, transfers, mail, broker, publicUrl, facts, scrub, scanner, now, log: logger },
      tracer: tracing?.tracer ?? null,
    });
    shutdown.add(() => shared.stop(drainMilliseconds));
    const { services, jobs } = shared;
    const metrics = options.metricsListen
      ? await startMetrics(
          options.metricsListen,
          {
            version,
            queues: jobs.depths,
            transfers: () => transfers.counts(database.db),
            transferShare: transfers.share,
            spans: tracing && (() => tracing.counts),
            gateways: () => countGateways(database.db),
            condition: {
              problems: health.problems,
              disks: () => readDisks(facts),
              oldestDue: () => jobs.oldestDue(database.db, now()),
              certificateEnd: () => certificate?.end ?? null,
              integrity: () => readIntegrity(folder.path),
              scans: async () => (scanner ? await scanCondition(database.db, now()) : null),
              now,
            },
          },
          logger,
        )
      : null;
    if (metrics) shutdown.add(() => metrics.stop());

    const readiness = createReadiness([databaseProbe(database.connection), storageProbe(storage)]);
    const idempotent = createIdempotentCalls(database.db, folder.secret, now);
    const api = await prepareApi(listener, {
      ...(metrics && { answered: metrics.answered }),
      tracer: tracing?.tracer ?? null,
      services,
      idempotent,
      health,
      readiness,
      limits: { ...defaultRequestLimits, ...options.limits },
      pages: {
        publicUrl,
        storageOrigin: storage.publicOrigin,
        version,
        portalHosts: hosts,
        ...(options.appUrl !== undefined && { appUrl: options.appUrl }),
        ...(options.webDir !== undefined && { webDir: options.webDir }),
      },
      logger,
      trustProxy: options.trustProxy,
      gateway: own?.packed ? { packed: own.packed, secret: storageKey(folder.secret) } : null,
    });
    const worker = await startWorker({ jobs, transfers, services, idempotent, log: logger });
    api.serve();
    shutdown.add(async () => {
      await Promise.all([worker.stop(), api.stop(drainMilliseconds)]);
    });

    let closing: Promise<void> | undefined;
    const enough = new AbortController();
    return {
      url: listener.url,
      storageUrl: storage.url,
      metricsUrl: metrics?.url ?? '',
      ...(firstRun && { firstRun }),
      services,
      failed: failed.promise,
      close: () => {
        if (closing) enough.abort();
        closing ??= leave(readiness, options.stopDelaySeconds ?? 0, enough.signal).then(() => shutdown.run());
        return closing;
      },
    };
  } catch (error) {
    await shutdown.run();
    if (error instanceof StartError) throw error;
    logger.debug({ err: error }, 'the service could not start');
    throw error;
  }
}

/** Gives whoever sends calls to several nodes the time to see that this one is no longer ready. */
async function leave(readiness: Readiness, seconds: number, enough: AbortSignal): Promise<void> {
  readiness.stop();
  if (seconds > 0) await sleep(seconds * 1_000, undefined, { signal: enough }).catch(() => undefined);
}

function startOwnStorage(
  options: ServiceOptions,
  folder: DataFolder,
  listener: Listener,
  certificate: Certificate | null,
  tracing: Tracing | null,
  log: Log,
  health: Health,
  onDeath: (error: Error) => void,
): Promise<RunningStorage> {
  return startStorage({
    root: folder.objects,
    secret: storageKey(folder.secret),
    listen: options.storageListen ?? { host: options.listen.host, port: options.listen.port === 0 ? 0 : listener.port + 1 },
    storageUrl: options.storageUrl,
    publicUrl: options.storagePublicUrl,
    apiPublicUrl: options.publicUrl,
    gatewayUrl: (options.publicUrl ?? listener.url).replace(/\/+$/, '') + storageGatewayPath,
    trustProxy: options.trustProxy,
    proxyProtocol: options.proxyProtocol === 'storage' || options.proxyProtocol === 'all',
    accel: options.storageAccel,
    tls: certificate?.pair,
    tracing: tracing && { onSpans: tracing.add, ratio: tracing.ratio, current: tracedAddress },
    log,
    health,
    onDeath,
  });
}

/** What addresses of the storage pass on, so that its spans are of the trace of the call that asked for them. */
function tracedAddress(): string | null {
  const trace = currentTrace();
  return trace?.context.sampled ? trace.traceparent : null;
}

function packageVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
