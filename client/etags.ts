import type { ChunkChecksum } from '#protocol/hosted/files.ts';
import { partEtag } from '#protocol/storage/requests.ts';

/** Whether the storage's etag confirms that it stored the bytes that were sent. */
export function confirms(
  checksum: ChunkChecksum,
  chunk: { readonly etag: string; readonly blake3: string; readonly md5?: string },
): boolean {
  switch (checksum) {
    case 'blake3':
      return chunk.etag === partEtag(chunk.blake3);
    case 'md5':
      return chunk.etag.toLowerCase() === chunk.md5;
    case 'none':
      return chunk.etag.length > 0;
  }
}
