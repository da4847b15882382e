import type { Blueprint } from '#protocol/schema.ts';
import { StorageError } from '../errors.ts';
import type { StoredObject, StoredPart } from '../ports.ts';
import type { createPresigner } from './presign.ts';

/** Upload id of an object that is sent by a single PUT: S3 has no upload for it. */
export const wholeId = 'whole';

/**
 * Until its address expires, a sender could store the object again, even after it was finalized or deleted. So the
 * lifetime is shorter than that of a part's address, which S3 refuses after that.
 */
export const wholeSeconds = 3600;

interface SinglePutPorts {
  readonly presign: ReturnType<typeof createPresigner>;
  readonly now: () => Date;
  /** The key in the bucket. */
  readonly inBucket: (key: string) => string;
  readonly head: (key: string) => Promise<StoredObject | null>;
}

/** Objects that are sent by a single PUT. */
export function createSinglePut({ presign, now, inBucket, head }: SinglePutPorts) {
  return {
    async blueprint(key: string, size: number, expiresAt: Date): Promise<Blueprint> {
      const soon = new Date(Math.min(expiresAt.getTime(), now().getTime() + wholeSeconds * 1000));
      const url = await presign({ method: 'PUT', key: inBucket(key), query: {}, contentLength: size, expiresAt: soon });
      return { url, method: 'PUT', headers: {}, body: '' };
    },

    async parts(key: string): Promise<StoredPart[]> {
      const found = await head(key);
      return found ? [{ partNumber: 1, etag: found.etag, size: found.size }] : [];
    },

    /** The object is complete already: this only checks that it is the expected one. */
    async check(key: string, parts: readonly StoredPart[]): Promise<StoredObject> {
      const found = await head(key);
      const [part] = parts;
      if (found && part && parts.length === 1 && found.size === part.size && found.etag === part.etag) return found;
      throw new StorageError('part_missing', 'The storage does not have part 1.', { details: { partNumber: 1 } });
    },
  };
}
