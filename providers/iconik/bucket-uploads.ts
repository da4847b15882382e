import { ProviderError } from '../errors.ts';
import type { PutPartRequest, StoredPart, UploadPlan } from '../ports.ts';
import type { NewFile } from './assets.ts';
import type { SendingFile } from './upload-file.ts';

/** What a storage has of a file's bytes. `over`: it takes no more, since it has all of them, or none. */
export type StoredBytes = { readonly state: 'open'; readonly parts: readonly StoredPart[] } | { readonly state: 'over' };

/**
 * How bytes reach one kind of storage. iconik signs the addresses; the bucket takes the bytes and gets no token. Rejects as
 * `CloudProvider` does.
 */
export interface BucketUploads {
  readonly order: UploadPlan['order'];
  /** Begins. Resolves to what `UploadTarget.session` holds. */
  start(made: NewFile, signal: AbortSignal): Promise<string>;
  stored(file: SendingFile, signal: AbortSignal): Promise<StoredBytes>;
  put(file: SendingFile, request: PutPartRequest, signal: AbortSignal): Promise<StoredPart>;
  /** Makes the object of its parts. Resolves to whether it did; false where the upload is over, and nobody knows how it ended. */
  finish(file: SendingFile, parts: readonly StoredPart[], crc32c: string | undefined, signal: AbortSignal): Promise<boolean>;
  /** Drops what is there. Does nothing if the upload is over. */
  cancel(file: SendingFile, signal: AbortSignal): Promise<void>;
}

export const gone = () => new ProviderError('upload_gone', 'The upload was ended in iconik. The file is sent from its beginning.');
export const missing = () =>
  new ProviderError('part_missing', 'The bucket behind iconik does not have all parts of the file. They are compared again.');
export const changedOnTheWay = () =>
  new ProviderError(
    'upload_gone',
    'The file arrived changed in the bucket behind iconik. It is removed there and sent from its beginning.',
  );

export const isCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof ProviderError && codes.includes(error.code);
