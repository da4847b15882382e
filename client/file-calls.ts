import type { Static } from 'typebox';
import type { CreateFile, File, FinalizeFile } from '#protocol/hosted/files.ts';
import type { Blueprint } from '#protocol/schema.ts';
import type { HostedClient } from './calls.ts';

/** What the service answers to the creation of a file. */
export interface CreatedFile {
  readonly file: File;
  /** Begins its upload; `null` where it is begun already, and for a folder. */
  readonly createBlueprint: Blueprint | null;
  /** An upload that is begun: `put` sends its only chunk. */
  readonly begun: { readonly uploadId: string; readonly put: Blueprint } | null;
}

/** Creating and finalizing the files of one package, by whatever calls the service offers. Failures are `ServiceError`s. */
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

/** A call for each file (interface §4.2). */
export function singleCalls({ api, packageId, signal }: FileCallsOptions): FileCalls {
  return {
    async create(body) {
      const { create_blueprint, file } = await api.call('createFile', { params: { package_id: packageId }, body, signal });
      return { file, createBlueprint: create_blueprint, begun: null };
    },
    async finalize(fileId, body) {
      await api.call('finalizeFile', { params: { package_id: packageId, file_id: fileId }, body, signal });
    },
  };
}
