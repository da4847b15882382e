import { chunkSlice } from './chunks.ts';
import { ServiceError } from './errors.ts';
import { remedyFor } from './faults.ts';
import type { ByteSource } from './ports.ts';
import { beginUpload, createFile } from './upload-create.ts';
import type { Creation, OpenedUpload, UploadedFile, UploadFacts, UploadJob, UploadPorts } from './upload-types.ts';

const beginningsAtMost = 3;

/** Runs the work; where the upload or the file is gone from the service, it begins once more without facts. */
export async function withRestarts<S extends ByteSource, T>(job: UploadJob<S>, work: (job: UploadJob<S>) => Promise<T>): Promise<T> {
  let facts: UploadFacts = job.facts;
  for (let beginnings = 1; ; beginnings++) {
    let counted = 0;
    const onBytes = (count: number): void => {
      counted += count;
      job.onBytes(count);
    };
    try {
      return await work({ ...job, facts, onBytes });
    } catch (error) {
      job.signal.throwIfAborted();
      const restarts = remedyFor(error).kind === 'restart_file' || isUnknownFile(error);
      if (!restarts || beginnings === beginningsAtMost) throw error;
      job.onBytes(-counted);
      await job.journal.chunksForgotten('all');
      facts = { state: 'none' };
    }
  }
}

/** The service was restored from a backup that is older than the file: the sent chunks are lost. */
function isUnknownFile(error: unknown): boolean {
  return error instanceof ServiceError && error.error === 'not_found' && error.details['resource'] === 'file';
}

type Opened =
  /** `isFresh`: nothing was sent yet, so there is nothing to ask the storage for. */
  | { readonly state: 'open'; readonly upload: OpenedUpload; readonly isFresh: boolean }
  /** Nothing is left to do. */
  | { readonly state: 'done'; readonly file: UploadedFile };

/** The open upload of a file: that of an earlier run, or a new one. */
export async function openUpload<S extends ByteSource>(ports: UploadPorts<S>, job: UploadJob<S>): Promise<Opened> {
  const creation = creationIn(job.facts) ?? (await createFile(ports, job));
  switch (creation.state) {
    case 'done':
      return creation;
    case 'created': {
      const upload = await beginUpload(ports, job, creation.upload, creation.createBlueprint);
      return { state: 'open', upload: { ...upload, chunks: new Map() }, isFresh: true };
    }
    case 'opened':
      return { state: 'open', upload: creation.upload, isFresh: creation.upload.put !== undefined };
  }
}

/** Counts the chunks that an earlier run has noted. */
export function countConfirmed<S extends ByteSource>({ source, onBytes }: UploadJob<S>, { chunks, chunkSize }: OpenedUpload): void {
  for (const index of chunks.keys()) onBytes(chunkSlice(index, source.size, chunkSize).length);
}

/** Where the last run ended; `null` where the file must still be created. */
function creationIn(facts: UploadFacts): Creation | null {
  switch (facts.state) {
    case 'none':
      return null;
    case 'created':
      return facts;
    case 'open':
      return { state: 'opened', upload: { ...facts.upload, chunks: new Map(facts.chunks) } };
  }
}
