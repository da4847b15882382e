import { Worker } from 'node:worker_threads';
import type { FileSystem } from '#filesystem/port.ts';
import { localHostInUrl } from '#net/host-in-url.ts';
import type { TlsPair } from '#net/tls-pair.ts';
import { StorageError } from '../errors.ts';
import type { ObjectStorage } from '../ports.ts';
import type { CorsRule } from './cors.ts';
import { createDisk } from './disk.ts';
import { prepareFolders } from './folders.ts';
import { filesFor } from './group-readable.ts';
import { layoutOf } from './layout.ts';
import type { Address } from './listen.ts';
import { createLocalStorage } from './local-storage.ts';
import type { Accel } from './nginx-accel.ts';
import { openObjects } from './open-objects.ts';
import { prepareSegments } from './segments/segment-cleanup.ts';
import { type RunningDataPlane, startDataPlane } from './start-data-plane.ts';
import type { StorageTracing } from './tracing/storage-tracing.ts';
import { type DataPlaneSettings, type FromWorker, type ToWorker, unpacked } from './worker-messages.ts';

export interface LocalStorageSettings {
  /** The folder of the objects; created if missing. One process may serve it. */
  readonly root: string;
  /** Other processes work in the folder (open-objects.ts), also while this one starts. */
  readonly isShared?: boolean;
  /**
   * Secret for signed addresses, at least 32 bytes. Keep it over restarts: a new one invalidates all addresses given
   * out before.
   */
  readonly secret: Uint8Array;
  readonly listen: Address;
  /** Public address of the data plane, if it is not `http://<host>:<port>`; may have a path. */
  readonly publicUrl?: string;
  /** Pages that may use the storage; by default all, since addresses are signed. */
  readonly cors?: CorsRule;
  /** Memory limit in bytes for all senders together; receivers have the same limit. Default 512 MiB. */
  readonly memory?: number;
  /** Limits for all connections (default 4,096), and for one address (1,024). */
  readonly connections?: { readonly most: number; readonly mostOfOne: number };
  /** Trusted proxies, whose `X-Forwarded-For` is used; addresses, comma-separated. */
  readonly trustProxy?: string | undefined;
  /** Connections of trusted proxies begin with a header of the PROXY protocol. */
  readonly proxyProtocol?: boolean | undefined;
  /** An nginx in front sends the bytes of downloads (nginx-accel.ts): files and folders become readable to the group. */
  readonly accel?: Accel | undefined;
  /** Certificate and key; without them the data plane speaks plain HTTP. */
  readonly tls?: TlsPair | undefined;
  /** Records what is moved for calls whose trace is sampled; by default nothing. */
  readonly tracing?: StorageTracing | undefined;
  /** Default 120,000. */
  readonly idleMilliseconds?: number;
  /** Called with failures of the disk or of the program, for the log. */
  readonly onTrouble?: (error: Error) => void;
  /** Called when the data plane's thread has died unexpectedly; no transfers are possible after that. */
  readonly onDeath?: (error: Error) => void;
  /** Runs the data plane in this thread; for tests. */
  readonly inProcess?: { readonly now?: () => number; readonly files?: FileSystem };
}

export interface RunningLocalStorage {
  readonly storage: ObjectStorage;
  /** The address that the data plane listens on, without a slash at the end. */
  readonly url: string;
  /** With TLS: new connections get this certificate, those that are open go on. */
  useCertificate(pair: TlsPair): void;
  /** Lets running transfers finish for at most `drainMilliseconds` (10 s), then cuts them. */
  close(drainMilliseconds?: number): Promise<void>;
}

const defaults = { memory: 512 * 1024 * 1024, idleMilliseconds: 120_000, drainMilliseconds: 10_000, secretBytes: 32 } as const;

/** Of files and folders that others work on: none of their steps takes longer. What is left over then goes at the next start. */
const inUseMilliseconds = 3_600_000;

/**
 * Starts local storage: prepares the folder, recovers from a crash, and serves the data plane on its own port and
 * thread. Rejects with a `StorageError`: `cannot_listen`, `storage_read_only`, `storage_full`.
 */
export async function startLocalStorage(settings: LocalStorageSettings): Promise<RunningLocalStorage> {
  const { root, secret, listen, inProcess } = settings;
  if (secret.length < defaults.secretBytes) {
    throw new StorageError('storage_misconfigured', `The storage's secret must have at least ${defaults.secretBytes} bytes.`);
  }
  const files = filesFor(settings.accel, inProcess?.files);
  const disk = createDisk(files);
  const layout = layoutOf(root);
  const since = settings.isShared ? Date.now() - inUseMilliseconds : null;
  await prepareFolders(root, disk, since);
  await prepareSegments({ files, layout, disk }, since);
  const givenUrl = settings.publicUrl?.replace(/\/+$/, '');
  const plane: DataPlaneSettings = {
    root,
    secret,
    listen,
    basePath: givenUrl ? new URL(givenUrl).pathname.replace(/\/+$/, '') : '',
    cors: settings.cors ?? 'any',
    memory: settings.memory ?? defaults.memory,
    idleMilliseconds: settings.idleMilliseconds ?? defaults.idleMilliseconds,
    connections: settings.connections,
    trustProxy: settings.trustProxy,
    proxyProtocol: settings.proxyProtocol,
    accel: settings.accel,
    tls: settings.tls,
    traceRatio: settings.tracing?.ratio,
  };
  const onTrouble = settings.onTrouble ?? (() => {});
  const onSpans = settings.tracing?.onSpans ?? (() => {});
  const running = inProcess
    ? await startDataPlane(plane, { files, now: inProcess.now ?? Date.now, onTrouble, onSpans })
    : await startThread(plane, onTrouble, onSpans, settings.onDeath ?? onTrouble);
  const url = `${settings.tls ? 'https' : 'http'}://${localHostInUrl(listen.host)}:${running.port}`;
  const close = (drainMilliseconds: number = defaults.drainMilliseconds): Promise<void> => running.close(drainMilliseconds);
  const storage = createLocalStorage({
    ...openObjects(files, layout),
    secret,
    publicUrl: givenUrl ?? url,
    trace: settings.tracing?.current,
    uploadsStarted: running.uploadsStarted,
    close,
  });
  return { storage, url, useCertificate: running.useCertificate, close };
}

function startThread(
  plane: DataPlaneSettings,
  onTrouble: (error: Error) => void,
  onSpans: StorageTracing['onSpans'],
  onDeath: (error: Error) => void,
): Promise<RunningDataPlane> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: plane });
  const gone = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  let state: 'starting' | 'running' | 'closing' = 'starting';
  return new Promise((resolve, reject) => {
    const died = (error: Error): void => {
      if (state === 'starting') reject(error);
      else if (state === 'running') onDeath(error);
      state = 'closing';
    };
    worker.on('error', died);
    worker.on('exit', () => died(new StorageError('storage_unavailable', "The storage's thread ended by itself.")));
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'failed') return died(unpacked(message.error));
      if (message.kind === 'trouble') return onTrouble(unpacked(message.error));
      if (message.kind === 'spans') return onSpans(message.spans);
      state = 'running';
      resolve({
        port: message.port,
        async close(drainMilliseconds) {
          state = 'closing';
          worker.postMessage({ kind: 'close', drainMilliseconds } satisfies ToWorker);
          await gone;
        },
        useCertificate: (pair) => worker.postMessage({ kind: 'certificate', pair } satisfies ToWorker),
        uploadsStarted: (folders) => worker.postMessage({ kind: 'uploads_started', folders } satisfies ToWorker),
      });
    });
  });
}
