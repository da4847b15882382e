import { ProviderError, type ProviderErrorCode } from '#providers/errors.ts';
import { partRanges } from '#providers/parts.ts';
import type {
  CloudObject,
  CopySource,
  DigestName,
  Digests,
  OpenUpload,
  ResumedUpload,
  StoredPart,
  UploadHandle,
} from '#providers/ports.ts';
import { copyFile } from './copy-file.ts';
import { FileError } from './errors.ts';
import { FileHash } from './file-hash.ts';
import type { FileSender, OutgoingFile } from './outgoing-file.ts';
import { bufferedPart } from './part-bytes.ts';
import type { Permit } from './permits.ts';
import { leftOut } from './ports.ts';
import { sendParts, wishedPartSize } from './send-parts.ts';
import { CopyRefusedError } from './server-copies.ts';

/** How often one file is begun again, or its parts are looked at again. */
const attempts = 4;
/** Milliseconds between two notes of how far a file is. */
const noteInterval = 1_000;

const isCode = (error: unknown, ...codes: readonly ProviderErrorCode[]): boolean =>
  error instanceof ProviderError && codes.includes(error.code);

const only = (digests: Digests, names: readonly DigestName[]): Digests => Object.fromEntries(names.map((name) => [name, digests[name]]));

/**
 * Delivers one file: goes on with the upload that was begun, or begins one. Writes its steps, `complete` without waiting. One
 * without content that the provider refuses is left out: to fail for it would keep a delivery from ever being complete.
 * Errors: `FileError`, after which nothing of the file is at the provider, `ProviderError`, `StorageError`.
 */
export async function deliverFile(sender: FileSender, file: OutgoingFile): Promise<void> {
  const { provider, writer, signal } = sender;
  const { id, target } = file;
  const upload = { handle: file.upload };
  const count = counterOf(sender, file);
  for (let attempt = 1; ; attempt++) {
    try {
      const object = await send(sender, file, upload, count);
      if (object.size !== file.content.size) {
        await provider.remove({ id: object.id }, signal);
        throw new FileError('The storage made a file of another size than it was sent. It was removed; try again, and tell its operator.');
      }
      count.complete();
      writer.writeLater({ kind: 'complete', id, target, object: { id: object.id, etag: object.etag } });
      return;
    } catch (error) {
      if (isCode(error, 'empty_refused') && file.content.size === 0) {
        if (upload.handle) await provider.abort({ handle: upload.handle }, signal);
        count.complete();
        writer.writeLater({ kind: 'complete', id, target, object: leftOut });
        return;
      }
      if (error instanceof FileError && upload.handle) {
        await provider.abort({ handle: upload.handle }, signal);
        writer.writeLater({ kind: 'reset', id });
        count.set(0);
      }
      if (attempt === attempts) throw error;
      if (error instanceof CopyRefusedError) await keepWhatWasCopied(sender, upload, error.cause);
      else if (isCode(error, 'copy_differs')) await keepWhatWasCopied(sender, upload, error);
      else if (!isCode(error, 'upload_gone', 'part_missing')) throw error;
    }
  }
}

/** Parts that were copied are not sent again. Without any the file is begun anew, in parts that fit into memory. */
async function keepWhatWasCopied(
  { provider, signal }: FileSender,
  upload: { handle: UploadHandle | null },
  failure: unknown,
): Promise<void> {
  if (!upload.handle) return;
  const found = await provider.resume({ handle: upload.handle }, signal);
  const isOfUse = found.state === 'complete' || (found.state === 'open' && found.stored.length > 0);
  if (isOfUse && !isCode(failure, 'copy_differs')) return;
  await provider.abort({ handle: upload.handle }, signal);
  upload.handle = null;
}

interface Counter {
  set(bytes: number): void;
  stored(part: StoredPart): void;
  complete(): void;
}

/** Counts the bytes of one file, and notes them now and then. */
function counterOf({ progress, writer }: FileSender, { id, storedBytes, content: { size } }: OutgoingFile): Counter {
  let counted = storedBytes;
  let notedAt = performance.now();
  const set = (bytes: number): void => {
    progress.add(0, bytes - counted);
    counted = bytes;
  };
  return {
    set,
    stored(part) {
      set(counted + part.size);
      if (counted === size || performance.now() - notedAt < noteInterval) return;
      notedAt = performance.now();
      writer.writeLater({ kind: 'stored', id, bytes: counted });
    },
    complete() {
      progress.add(1, size - counted);
      counted = size;
    },
  };
}

async function send(sender: FileSender, file: OutgoingFile, upload: { handle: UploadHandle | null }, count: Counter): Promise<CloudObject> {
  const { provider, memory, permits, concurrency, signal } = sender;
  const { plan } = provider;
  const { content } = file;
  const resumed = upload.handle && (await resume(sender, upload.handle));
  if (resumed?.state === 'complete') return resumed.object;
  if (resumed?.state === 'gone') await provider.abort({ handle: upload.handle! }, signal);
  const before = resumed?.state === 'open' ? resumed : null;
  count.set(before ? before.stored.reduce((sum, { size }) => sum + size, 0) : 0);

  const copied = await copyFile({
    sender,
    file,
    before,
    begin: (partSize, source, permit) => begin(sender, file, upload, { digests: {}, partSize, copyOf: source, permit }),
    stored: count.stored,
  });
  if (copied) return copied;

  const hash = await FileHash.of(file, [...new Set([...plan.digestsToBegin, ...plan.digestsToComplete])]);
  const partSize = wishedPartSize(plan, memory);
  if (content.size > Math.min(partSize, memory.capacity / 4)) {
    const permit = await sender.largePermits.acquire(signal);
    try {
      const known = plan.digestsToBegin.length > 0 && !before ? await hash.verified(signal) : {};
      const open = before ?? (await begin(sender, file, upload, { digests: known, partSize, permit }));
      const parts = await sendParts({ provider, memory, concurrency, upload: open, content, hash, stored: count.stored, signal });
      // Known before anybody can see the file.
      const digests = only(await hash.verified(signal), plan.digestsToComplete);
      return await provider.complete({ handle: open.handle, parts, digests }, signal);
    } finally {
      permit.release();
    }
  }

  // A small file is read and verified before anything is made at the provider.
  const release = await memory.acquire(content.size, signal);
  let over = release;
  let releasePermit = (): void => undefined;
  try {
    const whole = { number: 1, offset: 0, size: content.size };
    const { done, ...bytes } = await bufferedPart({ content, hash, memory }, whole, plan.partDigests, signal);
    over = () => {
      done();
      release();
    };
    const known = await hash.verified(signal);
    const permit = await permits.acquire(signal);
    releasePermit = permit.release;
    const open = before ?? (await begin(sender, file, upload, { digests: known, partSize, permit }));
    const [first, second] = partRanges(open.layout);
    let parts = open.stored;
    if (second) {
      // Cut by the provider's own rule. What is held here would keep parts waiting, and parts wait for memory.
      over();
      releasePermit();
      parts = await sendParts({ provider, memory, concurrency, upload: open, content, hash, stored: count.stored, signal });
    } else if (parts.length === 0) {
      parts = [await provider.putPart({ handle: open.handle, ...first!, ...bytes }, signal)];
      done();
    }
    return await provider.complete({ handle: open.handle, parts, digests: only(known, plan.digestsToComplete) }, signal);
  } finally {
    releasePermit();
    over();
  }
}

async function resume({ provider, permits, signal }: FileSender, handle: UploadHandle): Promise<ResumedUpload> {
  const permit = await permits.acquire(signal);
  return await provider.resume({ handle }, signal).finally(permit.release);
}

async function begin(
  { provider, writer, signal }: FileSender,
  { id, target, content, modified, contentType }: OutgoingFile,
  upload: { handle: UploadHandle | null },
  {
    digests: known,
    permit,
    ...how
  }: { readonly digests: Digests; readonly partSize: number; readonly copyOf?: CopySource; readonly permit: Permit },
): Promise<OpenUpload> {
  const digests = only(known, provider.plan.digestsToBegin);
  const save = async (handle: UploadHandle): Promise<void> => {
    await permit.releaseDuring(() => writer.write({ kind: 'begun', id, target, upload: handle }));
    upload.handle = handle;
  };
  const described = { path: target, size: content.size, modified, contentType, digests };
  return await provider.begin({ ...described, ...how, onlyIfFree: true, save }, signal);
}
