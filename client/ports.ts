import type { Blueprint } from '#protocol/schema.ts';

/** What uploads and downloads need from their environment; Node and the browser each implement it. */

export interface ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, or nothing. */
  readonly body?: string;
  /** For a call to the hosted API: the service's address. */
  readonly service?: string;
  readonly signal?: AbortSignal;
}

export interface ApiReply {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Small requests with small answers. Rejects when there is no answer at all. */
export type Fetcher = (request: ApiRequest) => Promise<ApiReply>;

/** A range of a file, in bytes. */
export interface Slice {
  readonly offset: number;
  readonly length: number;
}

/** A file to send. Its reads detect that it changed since the scan and reject with `TransferError` `file_changed`. */
export interface ByteSource {
  readonly size: number;
}

export interface SentChunk {
  /** As in the storage's answer, quotes removed. */
  readonly etag: string;
  /** BLAKE3 of the sent bytes, 64 hex digits. */
  readonly blake3: string;
  /** MD5 of them, 32 hex digits, where `checksum` is `md5`. */
  readonly md5?: string;
}

/** Streams a slice of a source to a blueprint's address. `onBytes` gets the number of newly sent bytes. */
export type ChunkSender<S extends ByteSource> = (
  blueprint: Blueprint,
  source: S,
  slice: Slice,
  options: { readonly md5: boolean; readonly onBytes: (count: number) => void; readonly signal: AbortSignal },
) => Promise<SentChunk>;

/** BLAKE3 (and MD5) of a slice of a source or sink, read from disk again. */
export type SliceHasher<F> = (
  file: F,
  slice: Slice,
  options: { readonly md5: boolean; readonly signal: AbortSignal },
) => Promise<{ readonly blake3: string; readonly md5?: string }>;

/** BLAKE3 of a few bytes, 64 hex digits. */
export type Digester = (bytes: Uint8Array) => string | Promise<string>;

/** Starts work when the concurrency limit allows it; shared by many files. `p-limit` is one. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

/** Streams a slice of a download address into a sink at the same offset; returns its BLAKE3, 64 hex digits. */
export type RangeReceiver<T> = (
  url: string,
  sink: T,
  slice: Slice,
  options: { readonly onBytes: (count: number) => void; readonly signal: AbortSignal },
) => Promise<{ readonly blake3: string }>;

/** Waits; rejects when the signal fires. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;
