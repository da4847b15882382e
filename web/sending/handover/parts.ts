import type { HandoverFile, HandoverPart } from '#protocol/hosted/handovers.ts';
import type { Item } from '../item.ts';

/** Below the largest body that a service takes, and the most files of a part. */
const maxCharacters = 1_000_000;
const maxFiles = 1_000;
/** A file with more confirmed chunks than that stands in several entries. */
const maxChunks = 4_000;

/** What an app needs to know of a package's items, in parts that the service takes (contract/handovers.md §2). */
export function partsOf(items: readonly Item[]): HandoverPart[] {
  const parts: HandoverPart[] = [];
  let files: HandoverFile[] = [];
  let characters = 0;
  const close = (): void => {
    parts.push({ files });
    files = [];
    characters = 0;
  };
  for (const item of items) {
    if (item.state === 'left_out') continue;
    for (const file of entriesOf(item)) {
      const length = JSON.stringify(file).length;
      if (files.length === maxFiles || (files.length > 0 && characters + length > maxCharacters)) close();
      files.push(file);
      characters += length;
    }
  }
  if (files.length > 0 || parts.length === 0) close();
  return parts;
}

function entriesOf({ kind, path, name, size, lastModified, facts }: Item): HandoverFile[] {
  const file = { kind, path, name, size, last_modified: new Date(lastModified).toISOString() };
  if (facts.state === 'finalized')
    return [{ ...file, file_id: facts.fileId, sent: true, ...(facts.digest ? { digest: facts.digest } : {}) }];
  if (facts.state !== 'open') return [file];
  const { fileId, uploadId, chunkSize, chunkChecksum } = facts.upload;
  const begun = { ...file, file_id: fileId, upload_id: uploadId, chunk_size: chunkSize, chunk_checksum: chunkChecksum };
  // Elsewhere the storage's own list tells what each chunk holds.
  if (chunkChecksum !== 'none') return [begun];
  const chunks = [...facts.chunks].map(([index, { etag, blake3 }]) => ({ index, etag, blake3 }));
  const entries: HandoverFile[] = [];
  for (let at = 0; at === 0 || at < chunks.length; at += maxChunks) entries.push({ ...begun, chunks: chunks.slice(at, at + maxChunks) });
  return entries;
}
