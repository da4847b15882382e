import { createHash, randomUUID } from 'node:crypto';
import { checkChunks } from '#service/files/chunk-check.ts';
import { FileError } from '#service/transfers/delivery/errors.ts';
import { importFiles } from '#service/transfers/import/import.ts';
import { wholePath } from '#service/transfers/import/names.ts';
import type { ImportEntry, ImportItem, ImportJournal, ImportRequest, PackageFiles } from '#service/transfers/import/ports.ts';
import { createPartMemory } from '#service/transfers/part-memory.ts';
import { StorageError } from '#storage/errors.ts';
import type { ObjectStorage } from '#storage/ports.ts';
import { type Cloud, createInMemoryProvider } from '#test/support/providers/in-memory-provider.ts';
import { createInMemoryImportJournal, type ImportState, newImportState } from './in-memory-import-journal.ts';

interface PackagedFile extends ImportEntry {
  readonly fileId: string;
  readonly state: 'new' | 'finalized';
  readonly digest: string;
}

/** What a package holds, by path. */
export type InMemoryPackage = Map<string, PackagedFile>;

/** A package in memory over a real storage, by the rules of files (contract/files-and-blueprints.md §2, §6). */
export function inMemoryPackageFiles(packaged: InMemoryPackage, storage: ObjectStorage, chunkSize: number): PackageFiles {
  const byId = (fileId: string) => [...packaged.values()].find((file) => file.fileId === fileId);
  const free = async (fileId: string): Promise<void> => {
    await storage.abort(fileId);
    await storage.delete(fileId);
  };
  return {
    async plan(entry) {
      const fileId = randomUUID();
      return {
        fileId,
        chunkSize,
        async create() {
          const before = packaged.get(wholePath(entry));
          if (before?.state === 'finalized' && entry.kind === 'file') throw new FileError('The package has it already.');
          packaged.set(wholePath(entry), { ...entry, fileId, state: entry.kind === 'file' ? 'new' : 'finalized', digest: '' });
          if (before) await free(before.fileId);
        },
      };
    },
    find: async (fileId) => byId(fileId)?.state ?? null,
    async finalize({ fileId, upload, chunks, size, digest, chunkSize: stated }) {
      const file = byId(fileId);
      if (!file) throw new FileError('It is gone.');
      if (file.size !== size || stated !== chunkSize) throw new Error('The package has a file of another size.');
      if ('id' in upload) {
        const claim = { size, declared: size, chunkSize, chunks };
        try {
          const verdict = checkChunks(claim, await storage.listParts(fileId, upload.id));
          if (!verdict.ok) throw new Error(`${verdict.chunk}: ${verdict.detail}`);
          await storage.complete(fileId, upload.id, verdict.parts);
        } catch (error) {
          if (!(error instanceof StorageError) || error.code !== 'no_such_upload') throw error;
        }
      }
      const object = await storage.head(fileId);
      if (object?.size !== size) throw new StorageError('no_such_upload', 'There is no such upload.');
      packaged.set(wholePath(file), { ...file, state: 'finalized', digest });
    },
    async remove(fileIds) {
      for (const id of fileIds) {
        const file = byId(id);
        if (file?.state !== 'new') continue;
        packaged.delete(wholePath(file));
        await free(id);
      }
    },
  };
}

export interface ImportBench {
  readonly cloud: Cloud;
  readonly state: ImportState;
  readonly packaged: InMemoryPackage;
  readonly journal: ImportJournal;
  readonly files: PackageFiles;
  run(change?: Partial<ImportRequest>): Promise<{ readonly files: number; readonly bytes: number }>;
}

/** So small that files of a few thousand bytes have several chunks. */
export const smallImport = { files: 3, parts: 2, entries: 100_000 };
export const smallChunks = 2_500;

type Selection = readonly Pick<ImportItem, 'id' | 'name' | 'kind'>[];

/** An import from memory into a real storage. Each `run` is a new process: it knows what the journal, the cloud and the storage know. */
export function importBench(cloud: Cloud, storage: ObjectStorage, selection: Selection, chunkSize = smallChunks): ImportBench {
  const state = newImportState(selection);
  const packaged: InMemoryPackage = new Map();
  const journal = createInMemoryImportJournal(state, (path) => packaged.get(path)?.state === 'finalized');
  const files = inMemoryPackageFiles(packaged, storage, chunkSize);
  return {
    cloud,
    state,
    packaged,
    journal,
    files,
    run: (change = {}) =>
      importFiles({
        provider: createInMemoryProvider(cloud),
        storage,
        files,
        journal,
        memory: createPartMemory({ reserved: 12_000, shared: 36_000 }).open(),
        limits: smallImport,
        signal: new AbortController().signal,
        onProgress: () => {},
        ...change,
      }),
  };
}

/** Puts a file into the cloud, as somebody else does. Its etag is the MD5 of its bytes. */
export function putIntoCloud({ files }: Cloud, id: string, bytes: Buffer, change: { archived?: boolean; modified?: Date } = {}): void {
  const etag = createHash('md5').update(bytes).digest('hex');
  files.set(id, { id, size: bytes.length, etag, modified: new Date('2026-03-04T05:06:07Z'), archived: false, ...change, bytes });
}
