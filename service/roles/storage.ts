import type { TlsPair } from '#net/tls-pair.ts';
import { StorageError, toApiError } from '#storage/errors.ts';
import type { Accel } from '#storage/local/nginx-accel.ts';
import { type LocalObjectsSettings, openLocalObjects } from '#storage/local/open-objects.ts';
import { startLocalStorage } from '#storage/local/server.ts';
import type { StorageTracing } from '#storage/local/tracing/storage-tracing.ts';
import type { PackedStorage } from '#storage/packed/packed-storage.ts';
import type { ObjectStorage } from '#storage/ports.ts';
import { parseS3Url } from '#storage/s3/settings.ts';
import { calls } from '#storage/wrappers/intercept.ts';
import type { Health } from '../health.ts';
import { type ListenAddress, portProblem } from '../http/listener.ts';
import type { Log } from '../log.ts';
import { bucketIdKey } from '../objects-bucket.ts';
import { StartError } from '../start-error.ts';

interface StorageOptions {
  readonly root: string;
  /** Other processes work in the folder of objects. */
  readonly isShared?: boolean;
  /** Local storage has no thread of its own. */
  readonly inProcess?: boolean | undefined;
  readonly secret: Uint8Array;
  readonly listen: ListenAddress;
  readonly storageUrl: string | undefined;
  /** The public URL of local storage. */
  readonly publicUrl: string | undefined;
  readonly apiPublicUrl: string | undefined;
  /** Where the service answers for small files that are packed in another storage (http/storage-gateway.ts). */
  readonly gatewayUrl: string;
  /** Trusted proxies in front of the storage, the same as for the API. */
  readonly trustProxy?: string | undefined;
  /** Their connections to local storage begin with a header of the PROXY protocol. */
  readonly proxyProtocol?: boolean | undefined;
  /** Who in front sends the bytes of downloads from local storage. */
  readonly accel?: Accel | undefined;
  /** Of local storage. */
  readonly tls?: TlsPair | undefined;
  /** Of local storage: records what it moves. */
  readonly tracing?: StorageTracing | null | undefined;
  readonly log: Log;
  readonly health: Pick<Health, 'failed' | 'works'>;
  /** Called when local storage's thread ended unexpectedly. */
  readonly onDeath: (error: Error) => void;
}

/** How another process of this service opens the storage (storage/open.ts, storage/local/open-objects.ts). */
export type StorageAccess =
  | { readonly kind: 'local'; readonly root: string; readonly publicUrl: string; readonly accel?: Accel | undefined }
  | { readonly kind: 'url'; readonly url: string; readonly gatewayUrl: string };

export interface RunningStorage {
  readonly storage: ObjectStorage;
  readonly access: StorageAccess;
  /** The URL that local storage listens on; empty for another storage, and where another process serves it. */
  readonly url: string;
  /** The origins that browsers send data to and receive it from, as sources of a Content-Security-Policy. */
  readonly publicOrigin: string;
  /** What the service's gateway needs; `null` with local storage, which has its own. */
  readonly packed: PackedStorage | null;
  /** With TLS: new connections get this certificate. */
  useCertificate(pair: TlsPair): void;
  close(drainMilliseconds: number): Promise<void>;
}

/** Starts local storage, or opens the one that `storageUrl` names. Errors: `StartError`. */
export async function startStorage(options: StorageOptions): Promise<RunningStorage> {
  if (options.accel && options.storageUrl !== undefined) {
    throw new StartError(
      'option_invalid',
      'Senders and receivers talk to the storage that --storage-url names by themselves, so there is nothing that nginx could send for it. Leave out --storage-accel, or --storage-url.',
    );
  }
  try {
    return options.storageUrl === undefined ? await startLocal(options) : await openRemote(options.storageUrl, options);
  } catch (error) {
    throw problemOf(error, options);
  }
}

async function openRemote(storageUrl: string, { log, health, secret, gatewayUrl }: StorageOptions): Promise<RunningStorage> {
  // Loaded only when needed: the S3 client is our largest library.
  const { openStorage } = await import('#storage/open.ts');
  const gateway = { secret, url: gatewayUrl };
  const packed = await openStorage(storageUrl, gateway, ({ call, key, milliseconds, error }) => {
    const failure = error instanceof StorageError ? toApiError(error) : null;
    if (failure && failure.status >= 500) health.failed(`storage ${call}`, failure);
    else if (!calls[call].signs) health.works(`storage ${call}`);
    if (error === undefined) return;
    const kind = error instanceof StorageError ? error.code : 'unknown';
    // A first start looks whether a new bucket is another service's.
    if (key === bucketIdKey && kind === 'no_such_object') return;
    log.warn({ call, key, milliseconds, err: error, onceAMinute: `storage ${call} ${kind}` }, 'a call to the storage failed');
  });
  const { storage } = packed;
  return {
    storage,
    packed,
    access: { kind: 'url', url: storageUrl, gatewayUrl },
    url: '',
    // Portals at hosts of their own talk to the service's for small files.
    publicOrigin: `${originOfS3(storageUrl)} ${new URL(gatewayUrl).origin}`,
    useCertificate: () => undefined,
    close: () => storage.close(),
  };
}

/** The source for a Content-Security-Policy that matches an S3 storage's addresses. */
export function originOfS3(storageUrl: string): string {
  const { endpoint, publicEndpoint, pathStyle } = parseS3Url(storageUrl);
  const origin = publicEndpoint ?? endpoint;
  if (origin === null) return 'https://*.amazonaws.com';
  const { protocol, host } = new URL(origin);
  return pathStyle ? `${protocol}//${host}` : `${protocol}//*.${host}`;
}

async function startLocal(options: StorageOptions): Promise<RunningStorage> {
  const { listen, log } = options;
  const publicUrl = options.publicUrl ?? besideApi(options.apiPublicUrl, listen.port, options.tls ? 'https:' : 'http:');
  if (publicUrl === undefined && !isLoopback(listen.host)) {
    log.warn({ host: listen.host }, 'other machines may not reach the storage: set its public address (--storage-public-url)');
  }
  if (options.accel && (process.umask() & groupMayRead) !== 0) {
    log.warn(
      { umask: process.umask().toString(8) },
      'nginx cannot read what is stored: start the service with a umask that lets its group read (UMask=0027)',
    );
  }
  const local = await startLocalStorage({
    root: options.root,
    ...(options.isShared && { isShared: true }),
    ...(options.inProcess && { inProcess: {} }),
    secret: options.secret,
    listen,
    ...(publicUrl !== undefined && { publicUrl }),
    trustProxy: options.trustProxy,
    proxyProtocol: options.proxyProtocol,
    accel: options.accel,
    tls: options.tls,
    tracing: options.tracing ?? undefined,
    onTrouble: (error) => log.error({ err: error, onceAMinute: `storage ${error.message}` }, 'the storage met a problem'),
    onDeath: (error) => {
      log.error({ err: error }, 'the storage ended by itself');
      options.onDeath(error);
    },
  });
  return {
    storage: local.storage,
    packed: null,
    access: { kind: 'local', root: options.root, publicUrl: publicUrl ?? local.url, accel: options.accel },
    url: local.url,
    publicOrigin: new URL(publicUrl ?? local.url).origin,
    useCertificate: local.useCertificate,
    close: (drain) => local.close(drain),
  };
}

/** The objects that another process of this machine serves. */
export function openStorageOfOther(settings: LocalObjectsSettings): RunningStorage {
  const { root, publicUrl, accel } = settings;
  const storage = openLocalObjects(settings);
  return {
    storage,
    packed: null,
    access: { kind: 'local', root, publicUrl, accel },
    url: '',
    publicOrigin: new URL(publicUrl).origin,
    useCertificate: () => undefined,
    close: () => storage.close(),
  };
}

/** Bits of a umask that would take reading from the group. */
const groupMayRead = 0o050;

/** If the API's public URL is a plain host, the storage is at the same host on its own port. */
function besideApi(apiPublicUrl: string | undefined, port: number, protocol: 'http:' | 'https:'): string | undefined {
  if (apiPublicUrl === undefined || port === 0) return undefined;
  const url = new URL(apiPublicUrl);
  return url.protocol === protocol ? `${protocol}//${url.hostname}:${port}` : undefined;
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.');

function problemOf(error: unknown, { listen, root, storageUrl }: StorageOptions): unknown {
  if (!(error instanceof StorageError)) return error;
  if (storageUrl !== undefined) return new StartError('storage_unusable', error.message, { cause: error, retryable: error.retryable });
  if (error.code === 'cannot_listen') {
    const known = portProblem(error.cause ?? error, listen);
    if (known instanceof StartError)
      return new StartError(known.code, known.message.replaceAll('--listen', '--storage-listen'), { cause: error });
    return new StartError('port_taken', `${error.message} (--storage-listen HOST:PORT)`, { cause: error, retryable: true });
  }
  return new StartError(
    error.code === 'storage_full' ? 'disk_full' : 'storage_unusable',
    `The storage at ${root} cannot be used: ${error.message}`,
    {
      cause: error,
      retryable: error.retryable,
    },
  );
}
