import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { bindSecret, checkOwner, type FirstRun, firstStart, type OwnerOptions } from './accounts/first-start.ts';
import { readLastBackup } from './backup/last-backup.ts';
import { databaseProbe } from './database/probe.ts';
import type { Database } from './database/schema/database.ts';
import { readDisks } from './disks.ts';
import { freeSpaceChecks } from './free-space.ts';
import { countGateways } from './gateways/watch.ts';
import type { Services } from './handler.ts';
import { createHealth } from './health.ts';
import { serveHealth } from './http/health-answers.ts';
import { createIdempotentCalls } from './http/idempotency.ts';
import { portalHosts } from './http/portal-hosts.ts';
import { defaultRequestLimits } from './http/rate-limits.ts';
import { storageKey } from './keys.ts';
import { createLogger, type Log } from './log.ts';
import { openMail } from './mail/open.ts';
import { closeOnce, drainMilliseconds, hasLocalObjects, openNode, openOwnStorage, type RunningNode } from './node.ts';
import { claimOwnBucket } from './objects-bucket.ts';
import { claimObjectsFolder } from './objects-folder.ts';
import { checkOperators, nameOperators } from './operator/operators.ts';
import { checkProxies, publicAddresses, type ServiceOptions } from './options.ts';
import { headersOf } from './own-port.ts';
import { noLimits } from './quotas/limits.ts';
import { keepNewTeamQuotas } from './quotas/new-teams.ts';
import { createReadiness } from './readiness.ts';
import { parseBrokerUrl } from './realtime/broker-url.ts';
import { prepareApi } from './roles/api.ts';
import { startDatabase } from './roles/database.ts';
import { openIntegrity } from './roles/integrity.ts';
import { startMetrics } from './roles/metrics.ts';
import { areApart, checkRoles, everyRole, type Roles } from './roles/roles.ts';
import { openTransfers, openTransfersOfOthers, reportOwnApi } from './roles/transfers.ts';
import { startWorker } from './roles/worker.ts';
import { openServices } from './services.ts';
import { createShutdown } from './shutdown.ts';
import { StartError } from './start-error.ts';
import { startStorageNode } from './storage-node.ts';
import { storageProbe } from './storage-probe.ts';
import { certificateEndCheck } from './tls/certificate-end.ts';
import { countQuery } from './tracing/current-trace.ts';
import { openClamd } from './viruses/clamd.ts';
import { parseClamdUrl } from './viruses/clamd-address.ts';
import { scanCondition } from './viruses/condition.ts';

export type { FirstRun, OwnerOptions, RunningNode, ServiceOptions };

export interface RunningService extends RunningNode {
  /** What the first start created; absent at later starts. The password is stored nowhere else. */
  readonly firstRun?: FirstRun;
  /** The dependencies of the handlers, for tests. */
  readonly services: Services;
}

/** Starts what the roles say: `startService`, or a process that serves local storage alone. Errors: `StartError`. */
export async function startRoles(options: ServiceOptions): Promise<RunningNode & Pick<RunningService, 'firstRun'>> {
  const { roles = everyRole } = options;
  return roles.has('api') || roles.has('worker') ? await startService(options) : await startStorageNode(options);
}

/**
 * Starts the service: the storage, the database, in this process both the worker and the API, and beside it what works on
 * transfers (roles/). With some of the roles it does a part of that, beside other processes. Errors: `StartError`, whose message
 * is for the operator; nothing is left running then.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const now = options.now ?? (() => new Date());
  const logger = createLogger(options.logLevel ?? 'info', options.logFile);
  const shutdown = createShutdown(logger);
  const failed = Promise.withResolvers<Error>();
  try {
    const addresses = publicAddresses(options);
    checkRoles(options.roles ?? everyRole, options);
    // Checked early, since creating a database takes seconds.
    checkOwner(options.owner ?? {});
    checkOperators(options.operators ?? []);
    checkProxies(options);
    const hosts = portalHosts(options.baseDomain, addresses);
    const node = await openNode(options, shutdown, logger);
    const { roles, folder, listener, certificate, tracing, version } = node;

    // All settings are checked before the first start creates anything: its generated password is shown only once, at
    // the end.
    const publicUrl = options.publicUrl ?? listener.url;
    const broker = options.realtimeUrl === undefined ? null : parseBrokerUrl(options.realtimeUrl);
    const scanner = options.clamd ? openClamd(parseClamdUrl(options.clamd.url), options.clamd) : null;
    const mail = openMail({ smtpUrl: options.smtpUrl, from: options.mailFrom, outbox: join(folder.path, 'outbox'), publicUrl });
    const integrity = openIntegrity(options, folder);
    const checks = { ...freeSpaceChecks(options, folder), 'stored bytes': integrity.check };
    const ends = certificate && { "certificate's end": certificateEndCheck(() => certificate.end, now) };
    const health = createHealth({ ...checks, ...ends }, now);
    const own = await openOwnStorage(node, options, shutdown, { log: logger, health, onDeath: failed.resolve });
    const storage = own ?? options.storage!;

    const database = await startDatabase(folder, options.databaseUrl, logger, tracing ? countQuery : undefined);
    shutdown.add('the database', () => database.stop());
    const firstRun = await prepareDatabase(roles, database.db, options, folder.secret, now(), logger);
    const isLocal = hasLocalObjects(options);
    if (isLocal) await claimObjectsFolder(database.db, folder.objects);
    else if (own) await claimOwnBucket(database.db, own.storage);

    const transfers = roles.has('worker')
      ? openTransfers({ roles, options, folder, database, storage: own, listener, log: logger })
      : openTransfersOfOthers({ options });
    const facts = {
      version,
      health,
      dataDir: folder.path,
      objectsDir: isLocal ? folder.objects : null,
      privateDatabase: options.databaseUrl === undefined,
      mailServer: options.smtpUrl !== undefined,
      operatorMfa: options.operatorMfa ?? false,
    };
    const scrub = integrity.start(database, own, now);
    const shared = await openServices({
      ...{ roles, options, folder, database, storage, transfers, mail, broker, publicUrl, facts, scrub, scanner, now, log: logger },
      tracer: tracing?.tracer ?? null,
    });
    shutdown.add('background work', () => shared.stop(drainMilliseconds));
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
              integrity: integrity.read,
              lastBackup: () => readLastBackup(folder.path),
              scans: async () => (scanner ? await scanCondition(database.db, now()) : null),
              now,
            },
          },
          logger,
        )
      : null;
    if (metrics) shutdown.add('the metrics', () => metrics.stop());

    const readiness = createReadiness([
      databaseProbe(database.connection),
      storageProbe({ ...storage, folder: facts.objectsDir }, headersOf(options, 'storage')),
    ]);
    const idempotent = createIdempotentCalls(database.db, folder.secret, now);
    const api = roles.has('api')
      ? await prepareApi(listener, {
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
        })
      : null;
    const worker = roles.has('worker') ? await startWorker({ jobs, transfers, services, idempotent, log: logger }) : null;
    if (api && areApart(roles)) {
      const reports = reportOwnApi({ folder, listener, log: logger });
      shutdown.add('the report of the API', () => reports.stop());
    }
    if (api) api.serve();
    else serveHealth(listener, { health, readiness }, logger);
    shutdown.add('what is under way', async () => {
      await Promise.all([worker?.stop(), api ? api.stop(drainMilliseconds) : listener.close(drainMilliseconds)]);
    });

    return {
      url: listener.url,
      storageUrl: storage.url,
      metricsUrl: metrics?.url ?? '',
      ...(firstRun && { firstRun }),
      services,
      failed: failed.promise,
      close: closeOnce(readiness, options, shutdown),
    };
  } catch (error) {
    await shutdown.run();
    if (error instanceof StartError) throw error;
    logger.debug({ err: error }, 'the service could not start');
    throw error;
  }
}

/** Settings that count for all nodes are those of the API. What a worker is not told must not end them. */
async function prepareDatabase(
  roles: Roles,
  db: Kysely<Database>,
  options: ServiceOptions,
  secret: Uint8Array,
  now: Date,
  log: Log,
): Promise<FirstRun | null> {
  if (!roles.has('api')) {
    await bindSecret(db, secret);
    return null;
  }
  await keepNewTeamQuotas(db, options.newTeamQuotas ?? noLimits);
  const firstRun = await firstStart(db, options.owner ?? {}, secret, now);
  await nameOperators(db, options.operators ?? [], now, log);
  return firstRun;
}
