import type { TlsPair } from '#net/tls-pair.ts';
import type { FinishedSpan } from '#net/tracing/span.ts';
import { StorageError, type StorageErrorCode } from '../errors.ts';
import type { CorsRule } from './cors.ts';
import type { Address } from './listen.ts';
import type { Accel } from './nginx-accel.ts';

/** Messages between the service's thread and the data plane's. */

export interface DataPlaneSettings {
  readonly root: string;
  readonly secret: Uint8Array;
  readonly listen: Address;
  readonly basePath: string;
  readonly cors: CorsRule;
  /** Bytes. */
  readonly memory: number;
  readonly idleMilliseconds: number;
  readonly connections?: { readonly most: number; readonly mostOfOne: number } | undefined;
  readonly trustProxy?: string | undefined;
  readonly proxyProtocol?: boolean | undefined;
  readonly accel?: Accel | undefined;
  readonly tls?: TlsPair | undefined;
  /** The share of traces of which spans are recorded; without it none are. */
  readonly traceRatio?: number | undefined;
}

interface PackedError {
  readonly code: StorageErrorCode | null;
  readonly message: string;
  readonly details: Readonly<Record<string, string | number>>;
  readonly stack: string;
}

export type FromWorker =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'failed'; readonly error: PackedError }
  | { readonly kind: 'trouble'; readonly error: PackedError }
  | { readonly kind: 'spans'; readonly spans: readonly FinishedSpan[] };

export type ToWorker =
  | { readonly kind: 'close'; readonly drainMilliseconds: number }
  | { readonly kind: 'certificate'; readonly pair: TlsPair }
  /** Folders of uploads that the service's thread has just made. */
  | { readonly kind: 'uploads_started'; readonly folders: readonly string[] };

/** Messages between threads do not keep an error's class. */
export function packed(error: Error): PackedError {
  const known = error instanceof StorageError ? error : null;
  const cause = error.cause instanceof Error ? `\nCaused by ${error.cause.stack ?? error.cause.message}` : '';
  return { code: known?.code ?? null, message: error.message, details: known?.details ?? {}, stack: `${error.stack ?? ''}${cause}` };
}

export function unpacked({ code, message, details, stack }: PackedError): Error {
  const error = code === null ? new Error(message) : new StorageError(code, message, { details });
  error.stack = stack;
  return error;
}
