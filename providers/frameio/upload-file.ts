import { ProviderError } from '../errors.ts';
import type { UploadHandle } from '../ports.ts';
import { type FrameioApi, type FrameioRecord, noSense, recordsIn } from './api.ts';

/** A part as Frame.io dictates it. Its address is a secret, and over after a day. */
export interface FrameioPart {
  /** Bytes. */
  readonly size: number;
  readonly url: string;
}

/** The file that Frame.io makes at once, and fills as its parts arrive. */
export interface Placeholder {
  readonly id: string;
  /** Every part is sent with it. */
  readonly mediaType: string;
  readonly parts: readonly FrameioPart[];
}

/** What a handle holds. */
export interface UploadFile {
  readonly name: string;
  /** The folder's id. */
  readonly parent: string;
  /** Bytes. */
  readonly size: number;
  /** By Frame.io's clock: no placeholder of ours is older. */
  readonly since: string;
  /** Null until Frame.io has answered with it. */
  readonly placeholder: Placeholder | null;
}

export const handleOf = (file: UploadFile): UploadHandle => ({ file: JSON.parse(JSON.stringify(file)) as UploadHandle });

export function fileOf(handle: UploadHandle): UploadFile {
  const file = handle['file'];
  if (typeof file !== 'object' || file === null || !('parent' in file) || !('placeholder' in file)) {
    throw new ProviderError('upload_gone', 'This upload was begun in another way. The file is sent from its beginning.');
  }
  return file as unknown as UploadFile;
}

/** The answer to the beginning of a file of `size` bytes. */
export function placeholderIn({ id, media_type, upload_urls }: FrameioRecord, size: number, api: FrameioApi): Placeholder {
  if (typeof id !== 'string' || typeof media_type !== 'string') throw noSense();
  const parts: FrameioPart[] = [];
  let rest = size;
  for (const { size: said, url } of recordsIn(upload_urls)) {
    if (!Number.isSafeInteger(said) || Number(said) < 0) throw noSense();
    // The last size may be that of a full part.
    const taken = Math.min(Number(said), rest);
    if (taken === 0 && parts.length > 0) break;
    parts.push({ size: taken, url: api.trusted(url) });
    rest -= taken;
  }
  if (rest > 0 || parts.length === 0) throw noSense();
  return { id, mediaType: media_type, parts };
}
