import type { CloudProvider } from '#providers/ports.ts';
import type { ChangeWriter } from '../delivery/change-writer.ts';
import type { ProgressCounter } from '../delivery/progress.ts';
import type { TransferMemory } from '../part-memory.ts';
import type { ImportChange, ImportRequest, JournaledEntry } from './ports.ts';

/** What all files of an import share. */
export interface Importer extends Pick<ImportRequest, 'storage' | 'files' | 'journal' | 'signal'> {
  readonly provider: Pick<CloudProvider, 'head' | 'openRange'>;
  readonly writer: ChangeWriter<ImportChange>;
  readonly memory: TransferMemory;
  /** Chunks of one file at the same time. */
  readonly concurrency: number;
  readonly progress: ProgressCounter;
}

/** A file on its way: its entry as the steps change it. */
export type ComingFile = { -readonly [Name in keyof JournaledEntry]: JournaledEntry[Name] };

/** An entry that has its row in the package. */
export type CreatedFile = ComingFile & { readonly fileId: string };

/** Counts the bytes of one file. */
export interface FileCount {
  set(bytes: number): void;
  add(bytes: number): void;
}
