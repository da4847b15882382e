import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import type { Health } from './health.ts';
import { type Listener, listen } from './http/listener.ts';
import { storageGatewayPath } from './http/storage-gateway.ts';
import { storageKey } from './keys.ts';
import type { Log } from './log.ts';
import type { ServiceOptions } from './options.ts';
import type { Readiness } from './readiness.ts';
import { areApart, everyRole, type Roles } from './roles/roles.ts';
import { openStorageOfOther, type RunningStorage, startStorage } from './roles/storage.ts';
import type { createShutdown } from './shutdown.ts';
import { type Certificate, openCertificate } from './tls/certificate.ts';
import { currentTrace } from './tracing/current-trace.ts';
import { openTracing, type Tracing } from './tracing/open-tracing.ts';

/** A process of the service, with all roles or some of them. */
export interface RunningNode {
  /** The URL that it listens on: of the API, or where it has another role, of its health. */
  readonly url: string;
  /** The URL of local storage; empty for S3, and where another process serves it. */
  readonly storageUrl: string;
  /** The URL of `/metrics`; empty if metrics are disabled. */
  readonly metricsUrl: string;
  /** Resolves when a part ended that the service needs: close the service and start it again. */
  readonly failed: Promise<Error>;
  /**
   * Stops the service; requests in progress have 10 s to finish. No process is left. Called again, it leaves out the delay
   * (`stopDelaySeconds`).
   *
   * @throws LateStopError that names what has not stopped within `stopLimitSeconds`: the process has to be ended (`endProcess`)
   */
  close(): Promise<void>;
}

/** How long requests in progress may go on at the stop. */
export const drainMilliseconds = 10_000;

/** For a stop in order, after the delay. What kills processes that do not stop waits for 30 s at least (resources/). */
const usualStopLimitSeconds = 28;

/** What a process has before it can do anything. */
export interface Node {
  readonly roles: Roles;
  readonly folder: DataFolder;
  readonly listener: Listener;
  readonly certificate: Certificate | null;
  readonly tracing: Tracing | null;
  readonly version: string;
}

type Shutdown = ReturnType<typeof createShutdown>;

/** Locks the data folder and opens the port, which answers that the process starts. Errors: `StartError`. */
export async function openNode(options: ServiceOptions, shutdown: Shutdown, log: Log): Promise<Node> {
  const roles = options.roles ?? everyRole;
  const certificate = options.tls ? openCertificate(options.tls) : null;
  const version = packageVersion();
  const tracing = options.tracing ? await openTracing(options.tracing, version, log) : null;
  shutdown.add('the export of traces', async () => tracing?.close());
  const use = !areApart(roles) ? 'alone' : roles.has('storage') ? 'storage' : 'shared';
  const folder = await openDataFolder(options.dataDir, { use });
  shutdown.add('the data folder', () => folder.release());
  const listener = await listen(options.listen, {
    trustProxy: options.trustProxy,
    proxyProtocol: options.proxyProtocol === 'api' || options.proxyProtocol === 'all',
    log,
    tls: certificate?.pair,
  });
  shutdown.add('the port', () => listener.close(0));
  return { roles, folder, listener, certificate, tracing, version };
}

/** Whether the objects are on a disk of this machine, whichever process serves them. */
export const hasLocalObjects = ({ storage, storageUrl }: ServiceOptions): boolean => storage === undefined && storageUrl === undefined;

interface StorageParts {
  readonly log: Log;
  readonly health: Health;
  readonly onDeath: (error: Error) => void;
}

/**
 * Starts local storage, opens a bucket, or the objects that another process serves. Null where the options have an open storage.
 * From here on a certificate is followed. Errors: `StartError`.
 */
export async function openOwnStorage(
  node: Node,
  options: ServiceOptions,
  shutdown: Shutdown,
  parts: StorageParts,
): Promise<RunningStorage | null> {
  const { listener, certificate } = node;
  const own = options.storage === undefined ? await startOrOpen(node, options, parts) : null;
  certificate?.follow(
    (pair) => {
      listener.useCertificate(pair);
      own?.useCertificate(pair);
    },
    { log: parts.log, health: parts.health },
  );
  shutdown.add('the certificate', async () => certificate?.close());
  if (own) shutdown.add('the storage', () => own.close(drainMilliseconds));
  return own;
}

async function startOrOpen(
  { roles, folder, listener, certificate, tracing }: Node,
  options: ServiceOptions,
  parts: StorageParts,
): Promise<RunningStorage> {
  const secret = storageKey(folder.secret);
  if (hasLocalObjects(options) && !roles.has('storage')) {
    return openStorageOfOther({
      root: folder.objects,
      secret,
      publicUrl: options.storagePublicUrl!,
      accel: options.storageAccel,
      trace: tracing ? tracedAddress : undefined,
    });
  }
  return await startStorage({
    root: folder.objects,
    isShared: areApart(roles),
    inProcess: options.storageInProcess,
    secret,
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
    ...parts,
  });
}

/** What addresses of the storage pass on, so that its spans are of the trace of the call that asked for them. */
function tracedAddress(): string | null {
  const trace = currentTrace();
  return trace?.context.sampled ? trace.traceparent : null;
}

/** Stops a process once; the first call gives whoever sends calls to several nodes the time to see that this one is no longer ready. */
export function closeOnce(
  readiness: Readiness,
  { stopDelaySeconds = 0, stopLimitSeconds = usualStopLimitSeconds }: Pick<ServiceOptions, 'stopDelaySeconds' | 'stopLimitSeconds'>,
  shutdown: Shutdown,
): () => Promise<void> {
  let closing: Promise<void> | undefined;
  const enough = new AbortController();
  const leave = async (): Promise<void> => {
    readiness.stop();
    if (stopDelaySeconds > 0) await sleep(stopDelaySeconds * 1_000, undefined, { signal: enough.signal }).catch(() => undefined);
    await shutdown.run(stopLimitSeconds * 1_000);
  };
  return () => {
    if (closing) enough.abort();
    closing ??= leave();
    return closing;
  };
}

function packageVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
