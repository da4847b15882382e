import { chunkCount, chunkSlice, digestOfChunks } from '#client/chunks.ts';
import type { Doubts } from '#client/damage.ts';
import { type DownloadPorts, downloadFile } from '#client/download.ts';
import { TransferError } from '#client/errors.ts';
import type { Gate } from '#client/ports.ts';
import type { RetryPorts } from '#client/retries.ts';
import type { File as ListedFile } from '#protocol/hosted/files.ts';
import { limits } from '#protocol/limits.ts';
import type { DownloadClient } from '../api.ts';
import { blake3Of, type Hashers } from './hashers.ts';
import type { NotedFile, SaveNotes } from './notes.ts';
import type { Target } from './plan.ts';
import { receiveRange } from './receive.ts';
import { createSink, type Sink } from './sink.ts';
import { type Folders, spotFor } from './targets.ts';

export interface FilePorts extends RetryPorts {
  readonly api: DownloadClient;
  readonly fetcher: typeof fetch;
  readonly notes: SaveNotes;
  readonly hashers: Hashers;
  readonly folders: Folders;
  /** Limits the concurrency of ranges over all files. */
  readonly gate: Gate;
  /** Milliseconds. */
  readonly now: () => number;
}

export interface FileJob {
  readonly linkId: string;
  readonly packageId: string;
  readonly target: Target;
  /** Null where nothing is stored about it. */
  readonly saved: NotedFile | null;
  readonly signal: AbortSignal;
  readonly onBytes: (count: number) => void;
  readonly doubts: Doubts;
  /** The new stored state; the next attempt starts from it. */
  readonly onSaved: (noted: NotedFile | null) => void;
}

interface SavedFile {
  /** Whether there was a digest to compare with. */
  readonly checked: boolean;
  readonly renamed: boolean;
}

/**
 * Saves one file. A complete file is skipped, a partial one is resumed. Bytes are checked against the file's digest
 * before the file counts as saved; a file that was wrong twice is deleted.
 */
export async function saveFile(ports: FilePorts, job: FileJob): Promise<SavedFile> {
  const { target, linkId, signal } = job;
  const { file } = target;
  const folder = await ports.folders(target.folders);
  const known = job.saved && (await stillThere(folder, job.saved)) ? job.saved : null;
  if (known?.whole) {
    job.onBytes(known.whole.size);
    return { checked: known.whole.checked, renamed: known.name !== file.name };
  }
  const hashed = (blob: Blob): Promise<string> => blake3Of(ports.hashers, blob, signal);
  const note = async (noted: NotedFile): Promise<void> => {
    job.onSaved(noted);
    await ports.notes.putFile(noted);
  };
  const whole = async (name: string, checked: boolean): Promise<SavedFile> => {
    const { size, lastModified } = await (await folder.getFileHandle(name)).getFile();
    await note({ linkId, fileId: file.id, name, ranges: new Map(), whole: { size, lastModified, checked } });
    return { checked, renamed: name !== file.name };
  };

  let saved = known;
  if (!saved) {
    const spot = await spotFor(folder, target, async (existing) => (await digestOf(existing, file, hashed)) === file.digest);
    if (spot.existing) {
      job.onBytes(spot.existing.size);
      return whole(spot.name, true);
    }
    saved = { linkId, fileId: file.id, name: spot.name, ranges: new Map(), whole: null };
    await note(saved);
  }

  const handle = await folder.getFileHandle(saved.name, { create: true });
  const sink = createSink(handle, saved.ranges.size > 0 ? (await handle.getFile()).size : 0);
  /** All received ranges, and those that would survive the loss of this tab. */
  const ranges = new Map(saved.ranges);
  const { name } = saved;
  const noteRanges = (): Promise<void> => note({ linkId, fileId: file.id, name, ranges: new Map(ranges), whole: null });
  try {
    const { verified } = await downloadFile(downloadPorts(ports, hashed), {
      packageId: job.packageId,
      file: fetched(file),
      sink,
      facts: { ranges: new Map([...saved.ranges].map(([index, blake3]) => [index, { blake3 }])) },
      journal: {
        async rangeWritten(index, { blake3 }) {
          ranges.set(index, blake3);
          if (await sink.settle()) await noteRanges();
        },
        async rangesForgotten(indexes) {
          if (indexes === 'all') ranges.clear();
          else for (const index of indexes) ranges.delete(index);
          await noteRanges();
        },
      },
      signal,
      doubts: job.doubts,
      onBytes: job.onBytes,
    });
    await sink.close();
    return await whole(name, verified);
  } catch (error) {
    if (error instanceof TransferError && error.code === 'digest_mismatch') {
      await sink.abort();
      await folder.removeEntry(name).catch(() => undefined);
      job.onSaved(null);
      await ports.notes.dropFile(linkId, file.id);
    } else await keep(sink, ranges, noteRanges);
    throw error;
  }
}

/**
 * Keeps received data for the next attempt. Without any received data the write is aborted, so no empty file is
 * written.
 */
async function keep(sink: Sink, ranges: ReadonlyMap<number, string>, noteRanges: () => Promise<void>): Promise<void> {
  try {
    if (ranges.size === 0) return await sink.abort();
    await sink.close();
    await noteRanges();
  } catch {
    // The disk error that failed the file fails this too. Data that was committed before is still there.
  }
}

function fetched({ id, name, size = 0, chunk_size: chunkSize, digest }: ListedFile) {
  return { id, name, size, ...(chunkSize === undefined ? {} : { chunkSize }), ...(digest === undefined ? {} : { digest }) };
}

function downloadPorts(ports: FilePorts, hashed: (blob: Blob) => Promise<string>): DownloadPorts<Sink> {
  return {
    api: ports.api,
    receive: (url, sink, slice, options) => receiveRange(ports, url, sink, slice, options),
    async hashSlice(sink, { offset, length }) {
      const file = await sink.handle.getFile();
      if (file.size < offset + length) throw new TransferError('file_changed', 'The saved file is shorter than it was.');
      return { blake3: await hashed(file.slice(offset, offset + length)) };
    },
    digest: (bytes) => hashed(new Blob([bytes as Uint8Array<ArrayBuffer>])),
    gate: ports.gate,
    sleep: ports.sleep,
    random: ports.random,
    ...(ports.damages ? { damages: ports.damages } : {}),
    now: ports.now,
  };
}

/** Whether the file on disk still matches the stored state. */
async function stillThere(folder: FileSystemDirectoryHandle, { name, whole }: NotedFile): Promise<boolean> {
  try {
    const { size, lastModified } = await (await folder.getFileHandle(name)).getFile();
    return whole === null || (whole.size === size && whole.lastModified === lastModified);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotFoundError') return false;
    throw error;
  }
}

/** The digest of a file on disk, computed like that of a listed file. */
async function digestOf(standing: File, { chunk_size: chunkSize }: ListedFile, hashed: (blob: Blob) => Promise<string>): Promise<string> {
  const size = chunkSize || limits.defaultChunkSize;
  const chunks: string[] = [];
  for (let index = 0; index < chunkCount(standing.size, size); index++) {
    const { offset, length } = chunkSlice(index, standing.size, size);
    chunks.push(await hashed(standing.slice(offset, offset + length)));
  }
  return digestOfChunks((bytes) => hashed(new Blob([bytes as Uint8Array<ArrayBuffer>])), chunks);
}
