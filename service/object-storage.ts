import { StorageError } from '#storage/errors.ts';
import { startLocalStorage } from '#storage/local/server.ts';
import type { ObjectStorage } from '#storage/ports.ts';
import { parseS3Url } from '#storage/s3/settings.ts';
import { type ListenAddress, portProblem } from './http/listener.ts';
import type { Log } from './log.ts';
import { StartError } from './start-error.ts';

export interface StorageOptions {
  readonly root: string;
  readonly secret: Uint8Array;
  readonly listen: ListenAddress;
  readonly storageUrl: string | undefined;
  /** How people outside reach local storage. */
  readonly publicUrl: string | undefined;
  readonly apiPublicUrl: string | undefined;
  readonly log: Log;
  /** Told when local storage's thread ended by itself. */
  readonly onDeath: (error: Error) => void;
}

export interface RunningStorage {
  readonly storage: ObjectStorage;
  /** Where local storage listens; empty for another storage. */
  readonly url: string;
  /** The origin that browsers exchange bytes with. */
  readonly publicOrigin: string;
  close(drainMilliseconds: number): Promise<void>;
}

/** Starts local storage, or opens the one that `storageUrl` names. Errors: `StartError`. */
export async function startStorage(options: StorageOptions): Promise<RunningStorage> {
  try {
    return options.storageUrl === undefined ? await startLocal(options) : await openRemote(options.storageUrl, options.log);
  } catch (error) {
    throw problemOf(error, options);
  }
}

async function openRemote(storageUrl: string, log: Log): Promise<RunningStorage> {
  // Loaded where it is used: the S3 client is the largest library that we stand on.
  const { openStorage } = await import('#storage/open.ts');
  const storage = await openStorage(storageUrl, ({ call, key, milliseconds, error }) => {
    if (error !== undefined) log.warn({ call, key, milliseconds, err: error }, 'a call to the storage failed');
  });
  return { storage, url: '', publicOrigin: originOfS3(storageUrl), close: () => storage.close() };
}

/** The source, as a Content-Security-Policy writes it, that an S3 storage's addresses are at. */
export function originOfS3(storageUrl: string): string {
  const { endpoint, publicEndpoint, pathStyle } = parseS3Url(storageUrl);
  const origin = publicEndpoint ?? endpoint;
  if (origin === null) return 'https://*.amazonaws.com';
  const { protocol, host } = new URL(origin);
  return pathStyle ? `${protocol}//${host}` : `${protocol}//*.${host}`;
}

async function startLocal(options: StorageOptions): Promise<RunningStorage> {
  const { listen, log } = options;
  const publicUrl = options.publicUrl ?? besideApi(options.apiPublicUrl, listen.port);
  if (publicUrl === undefined && !isLoopback(listen.host)) {
    log.warn({ host: listen.host }, 'other machines may not reach the storage: set its public address (--storage-public-url)');
  }
  const local = await startLocalStorage({
    root: options.root,
    secret: options.secret,
    listen,
    ...(publicUrl !== undefined && { publicUrl }),
    onTrouble: (error) => log.error({ err: error }, 'the storage met a problem'),
    onDeath: (error) => {
      log.error({ err: error }, 'the storage ended by itself');
      options.onDeath(error);
    },
  });
  return {
    storage: local.storage,
    url: local.url,
    publicOrigin: new URL(publicUrl ?? local.url).origin,
    close: (drain) => local.close(drain),
  };
}

/** With a plain public address of the API, the storage is at the same host on its own port. */
function besideApi(apiPublicUrl: string | undefined, port: number): string | undefined {
  if (apiPublicUrl === undefined || port === 0) return undefined;
  const url = new URL(apiPublicUrl);
  return url.protocol === 'http:' ? `http://${url.hostname}:${port}` : undefined;
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
