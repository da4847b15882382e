import { ProviderError } from '#providers/errors.ts';
import type { CloudObject, CloudProvider } from '#providers/ports.ts';
import type { Content } from './content.ts';
import { deliverFile } from './deliver-file.ts';
import { manifestContent, manifestName } from './manifest.ts';
import type { FileSender } from './outgoing-file.ts';
import { type DeliveryRequest, type JournalSummary, manifestId } from './ports.ts';

/** Written last: who finds it finds all that it names. Resolves to its path. */
export async function deliverManifest(
  { provider, journal, manifest, signal }: DeliveryRequest,
  sender: FileSender,
  folder: string,
  before: JournalSummary['manifest'],
): Promise<string> {
  const target = `${folder}/${manifestName(manifest!.transferId)}`;
  if (before.object) return target;
  const content = await manifestContent(journal, manifest!, folder);
  if (before.upload) {
    const resumed = await provider.resume({ handle: before.upload }, signal);
    if (resumed.state !== 'complete') await provider.abort({ handle: before.upload }, signal);
    else if (await holds(provider, resumed.object, content, signal)) {
      const { id, etag } = resumed.object;
      await sender.writer.write({ kind: 'complete', id: manifestId, target, object: { id, etag } });
      return target;
    }
    // It was made before files were reset, and says what is not so any more.
    else await provider.remove({ id: resumed.object.id }, signal);
  }
  const uncounted = { ...sender, progress: { add: () => {}, end: () => {} } };
  await deliverFile(uncounted, {
    id: manifestId,
    target,
    content,
    copied: null,
    modified: manifest!.createdAt,
    contentType: 'application/json',
    digest: null,
    chunkSize: 0,
    upload: null,
    storedBytes: 0,
  });
  await sender.writer.flush();
  return target;
}

/** Whether an object is this content, byte for byte. One that may not be read is taken for another. */
async function holds(provider: CloudProvider, { id, size }: CloudObject, content: Content, signal: AbortSignal): Promise<boolean> {
  if (size !== content.size) return false;
  try {
    const found = await provider.openRange({ id }, signal);
    try {
      let at = 0;
      for await (const piece of found as AsyncIterable<Buffer>) {
        const expected: Buffer[] = [];
        for await (const bytes of content.read(at, at + piece.length, signal)) expected.push(bytes);
        if (!Buffer.concat(expected).equals(piece)) return false;
        at += piece.length;
      }
      return at === size;
    } finally {
      found.destroy();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ProviderError && error.retry === 'never') return false;
    throw error;
  }
}
