import { bindSecret } from './accounts/first-start.ts';
import { readLastBackup } from './backup/last-backup.ts';
import { readDisks } from './disks.ts';
import { freeSpaceChecks } from './free-space.ts';
import { createHealth } from './health.ts';
import { serveHealth } from './http/health-answers.ts';
import { readFolderIntegrity } from './integrity/folder-journal.ts';
import { integrityCheck } from './integrity/scrub.ts';
import { createLogger } from './log.ts';
import { closeOnce, drainMilliseconds, openNode, openOwnStorage, type RunningNode } from './node.ts';
import { claimObjectsFolder } from './objects-folder.ts';
import { checkProxies, publicAddresses, type ServiceOptions } from './options.ts';
import { headersOf } from './own-port.ts';
import { createReadiness } from './readiness.ts';
import { startDatabase } from './roles/database.ts';
import { startMetrics } from './roles/metrics.ts';
import { checkRoles } from './roles/roles.ts';
import { createShutdown } from './shutdown.ts';
import { storageProbe } from './storage-probe.ts';
import { certificateEndCheck } from './tls/certificate-end.ts';

/**
 * Starts a process that serves local storage and does nothing else. It asks the database once, whether these are its objects and
 * its key, and has no connection to it afterwards: bytes go on while the database is away. Errors: `StartError`.
 */
export async function startStorageNode(options: ServiceOptions): Promise<RunningNode> {
  const now = options.now ?? (() => new Date());
  const log = createLogger(options.logLevel ?? 'info');
  const shutdown = createShutdown(log);
  const failed = Promise.withResolvers<Error>();
  try {
    publicAddresses(options);
    checkProxies(options);
    checkRoles(options.roles!, options);
    const node = await openNode(options, shutdown, log);
    const { folder, listener, certificate, version } = node;
    const database = await startDatabase(folder, options.databaseUrl, log);
    try {
      await bindSecret(database.db, folder.secret);
      await claimObjectsFolder(database.db, folder.objects);
    } finally {
      await database.stop();
    }
    const integrity = () => readFolderIntegrity(folder.path);
    const checks = { ...freeSpaceChecks(options, folder), 'stored bytes': integrityCheck(integrity) };
    const ends = certificate && { "certificate's end": certificateEndCheck(() => certificate.end, now) };
    const health = createHealth({ ...checks, ...ends }, now);
    const own = (await openOwnStorage(node, options, shutdown, { log, health, onDeath: failed.resolve }))!;
    const metrics = options.metricsListen
      ? await startMetrics(
          options.metricsListen,
          {
            version,
            condition: {
              problems: health.problems,
              disks: () => readDisks({ dataDir: folder.path, objectsDir: folder.objects }),
              certificateEnd: () => certificate?.end ?? null,
              integrity,
              lastBackup: () => readLastBackup(folder.path),
              now,
            },
          },
          log,
        )
      : null;
    if (metrics) shutdown.add('the metrics', () => metrics.stop());
    const readiness = createReadiness([storageProbe({ ...own, folder: folder.objects }, headersOf(options, 'storage'))]);
    serveHealth(listener, { health, readiness }, log);
    shutdown.add('the port', () => listener.close(drainMilliseconds));
    return {
      url: listener.url,
      storageUrl: own.url,
      metricsUrl: metrics?.url ?? '',
      failed: failed.promise,
      close: closeOnce(readiness, options, shutdown),
    };
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}
