import type { Blueprint } from '#protocol/schema.ts';

/** What the upload and download procedures need from outside; Node and the browser each fill it. */

export interface ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, or nothing. */
  readonly body?: string;
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

/** A stretch of a file, in bytes. */
export interface Slice {
  readonly offset: number;
  readonly length: number;
}

/** A file to send. Its reads notice when it changed since the scan, and reject with `MoveError` `file_changed`. */
export interface ByteSource {
  readonly size: number;
}

export interface SentChunk {
  /** As the storage answered it, quotes removed. */
  readonly etag: string;
  /** BLAKE3 of the bytes that went out, 64 hex digits. */
  readonly blake3: string;
  /** MD5 of them, 32 hex digits, where `checksum` is `md5`. */
  readonly md5?: string;
}

/** Streams a slice of a source into a blueprint. `onBytes` is told how many more bytes went out. */
export type ChunkSender<S extends ByteSource> = (
  blueprint: Blueprint,
  source: S,
  slice: Slice,
  options: { readonly md5: boolean; readonly onBytes: (count: number) => void; readonly signal: AbortSignal },
) => Promise<SentChunk>;

/** BLAKE3 (and MD5) of a stretch of a source or sink, read again where it lies. */
export type SliceHasher<F> = (
  file: F,
  slice: Slice,
  options: { readonly md5: boolean; readonly signal: AbortSignal },
) => Promise<{ readonly blake3: string; readonly md5?: string }>;

/** BLAKE3 of a few bytes, 64 hex digits. */
export type Digester = (bytes: Uint8Array) => string | Promise<string>;

/** Lets work begin when there is room; many files share one. `p-limit` is one. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

/** Streams a stretch of a download address into a sink at the same offset; gives its BLAKE3, 64 hex digits. */
export type RangeReceiver<T> = (
  url: string,
  sink: T,
  slice: Slice,
  options: { readonly onBytes: (count: number) => void; readonly signal: AbortSignal },
) => Promise<{ readonly blake3: string }>;

/** Waits; rejects when the signal fires. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;
