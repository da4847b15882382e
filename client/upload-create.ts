import type { File } from '#protocol/hosted/files.ts';
import { limits } from '#protocol/limits.ts';
import type { Blueprint } from '#protocol/schema.ts';
import { chooseChunkSize, chunkCount, chunkSlice, digestOfChunks } from './chunks.ts';
import { isSilence, ServiceError, storageStalled, TransferError } from './errors.ts';
import { singleCalls } from './file-calls.ts';
import type { ByteSource } from './ports.ts';
import { withRetries } from './retries.ts';
import { storageRefusal } from './storage-answers.ts';
import { parseUploadId } from './upload-id.ts';
import type { CreatedUpload, Creation, OpenUpload, UploadJob, UploadPorts } from './upload-types.ts';

/**
 * Adds the file to its package. An unfinished file of the same path and name is replaced by the service itself. A
 * finished one with the same bytes (our note of it was lost) is taken over; one with other bytes is deleted and created
 * again.
 */
export async function createFile<S extends ByteSource>(ports: UploadPorts<S>, job: UploadJob<S>): Promise<Creation> {
  try {
    return await create(ports, job);
  } catch (error) {
    job.signal.throwIfAborted();
    if (!(error instanceof ServiceError) || error.error !== 'already_exists') throw error;
    const standing = await findStanding(ports, job);
    // The conflict is with another name, e.g. one that differs only in case: a user must decide.
    if (!standing) throw error;
    if (!job.file.unknownSize && (await sameContent(ports, job, standing))) return takeOver(job, standing);
    await withRetries(ports, job.signal, () =>
      ports.api.call('deleteFile', { params: { package_id: job.packageId, file_id: standing.id }, signal: job.signal }),
    );
    return create(ports, job);
  }
}

async function create<S extends ByteSource>(ports: UploadPorts<S>, job: UploadJob<S>): Promise<Creation> {
  const { file, source, journal, signal } = job;
  const calls = ports.calls ?? singleCalls({ api: ports.api, packageId: job.packageId, signal });
  const asked = file.kind === 'directory' ? undefined : askedChunkSize(source.size, file.chunkSize);
  const {
    file: made,
    createBlueprint,
    opened,
  } = await withRetries(ports, signal, () =>
    calls.create({
      kind: file.kind,
      name: file.name,
      path: file.path,
      last_modified: file.lastModified,
      ...(file.kind === 'file' && !file.unknownSize ? { size: source.size } : {}),
      ...(asked === undefined ? {} : { chunk_size: asked }),
    }),
  );
  const upload = {
    fileId: made.id,
    chunkChecksum: made.chunk_checksum ?? 'none',
    chunkSize: made.chunk_size || asked || limits.defaultChunkSize,
    ...(file.unknownSize ? { unknownSize: true as const } : {}),
  };
  if (opened) {
    await journal.uploadCreated({ ...upload, uploadId: opened.uploadId });
    return { state: 'opened', upload: { ...upload, ...opened, chunks: new Map() } };
  }
  if (createBlueprint) {
    await journal.fileCreated(upload, createBlueprint);
    return { state: 'created', upload, createBlueprint };
  }
  if (file.kind === 'file') throw new TransferError('wrong_answer', 'The service gave no address to send the file to.');
  const done = { fileId: made.id, digest: '' };
  await journal.finalized(done);
  return { state: 'done', file: done };
}

/** Chunk size to request; `undefined` where the service's default is as good. */
function askedChunkSize(size: number, wanted: number | undefined): number | undefined {
  const chosen = chooseChunkSize(size, wanted);
  return wanted === undefined && chosen === limits.defaultChunkSize ? undefined : chosen;
}

async function findStanding<S extends ByteSource>(ports: UploadPorts<S>, job: UploadJob<S>): Promise<File | undefined> {
  const files = await withRetries(ports, job.signal, () =>
    ports.api.call('listFiles', { params: { package_id: job.packageId }, signal: job.signal }),
  );
  return files.find((one) => one.path === job.file.path && one.name === job.file.name);
}

async function sameContent<S extends ByteSource>(ports: UploadPorts<S>, job: UploadJob<S>, standing: File): Promise<boolean> {
  if (standing.kind !== job.file.kind) return false;
  if (standing.kind === 'directory') return true;
  if (standing.size !== job.source.size || !standing.chunk_size || !standing.digest) return false;
  return standing.digest === (await digestOfSource(ports, job, standing.chunk_size));
}

async function digestOfSource<S extends ByteSource>(ports: UploadPorts<S>, job: UploadJob<S>, chunkSize: number): Promise<string> {
  const digests: string[] = [];
  for (let index = 0; index < chunkCount(job.source.size, chunkSize); index++) {
    const slice = chunkSlice(index, job.source.size, chunkSize);
    digests.push((await ports.hashSlice(job.source, slice, { md5: false, signal: job.signal })).blake3);
  }
  return digestOfChunks(ports.digest, digests);
}

async function takeOver<S extends ByteSource>(job: UploadJob<S>, standing: File): Promise<Creation> {
  const file = { fileId: standing.id, digest: standing.digest ?? '' };
  await job.journal.finalized(file);
  if (job.file.kind === 'file') job.onBytes(job.source.size);
  return { state: 'done', file };
}

/** Opens the multipart upload at the storage. */
export async function beginUpload<S extends ByteSource>(
  ports: UploadPorts<S>,
  job: UploadJob<S>,
  created: CreatedUpload,
  { url, method, headers, body }: Blueprint,
): Promise<OpenUpload> {
  const uploadId = await withRetries(ports, job.signal, async () => {
    const reply = await ask();
    if (reply.status >= 200 && reply.status < 300) return parseUploadId(reply.text);
    const refusal = storageRefusal(reply, 'upload');
    // A file has one create blueprint; a new one requires a new file.
    throw refusal.code === 'address_refused' ? new TransferError('upload_gone', refusal.message, { cause: refusal }) : refusal;
  });
  const upload = { ...created, uploadId };
  await job.journal.uploadCreated(upload);
  return upload;

  async function ask() {
    try {
      return await ports.storage({ method, url, headers, ...(body ? { body } : {}), signal: job.signal });
    } catch (cause) {
      job.signal.throwIfAborted();
      if (isSilence(cause)) throw storageStalled(cause);
      throw new TransferError('unreachable', 'The storage does not answer. Check the network.', { cause });
    }
  }
}
