import type { Static } from 'typebox';
import type { CreateFile, File, FinalizeFile } from '#protocol/hosted/files.ts';
import type { Blueprint } from '#protocol/schema.ts';
import type { HostedClient } from './calls.ts';

/** The service's answer to the creation of a file. */
export interface CreatedFile {
  readonly file: File;
  /** Begins the file's upload; `null` for a folder, and where the upload has already begun. */
  readonly createBlueprint: Blueprint | null;
  /** An upload that has already begun: `put` sends its only chunk. */
  readonly opened: { readonly uploadId: string; readonly put: Blueprint } | null;
}

/** Creates and finalizes the files of one package, with single or batch calls. Failures are `ServiceError`s. */
export interface FileCalls {
  create(body: Static<typeof CreateFile>): Promise<CreatedFile>;
  finalize(fileId: string, body: Static<typeof FinalizeFile>): Promise<void>;
}

export interface FileCallsOptions {
  /** With the package's credential. */
  readonly api: HostedClient<'createFile' | 'finalizeFile'>;
  readonly packageId: string;
  readonly signal: AbortSignal;
}

/** One call for each file (contract/files-and-blueprints.md §1). */
export function singleCalls({ api, packageId, signal }: FileCallsOptions): FileCalls {
  return {
    async create(body) {
      const { create_blueprint, file } = await api.call('createFile', { params: { package_id: packageId }, body, signal });
      return { file, createBlueprint: create_blueprint, opened: null };
    },
    async finalize(fileId, body) {
      await api.call('finalizeFile', { params: { package_id: packageId, file_id: fileId }, body, signal });
    },
  };
}
