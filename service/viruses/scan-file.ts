import type { Selectable } from 'kysely';
import { StorageError } from '#storage/errors.ts';
import type { Database } from '../database/schema/database.ts';
import { objectKeyOf } from '../files/object-key.ts';
import type { JobContext } from '../jobs/context.ts';
import { type FileVerdict, ScanError, type VirusScanner } from './ports.ts';

export type FileToScan = Pick<Selectable<Database['files']>, 'id' | 'object_key' | 'size' | 'place' | 'path' | 'name'>;

/** `asked`: the verdict is the scanner's own. */
export type ScannedFile = { readonly verdict: FileVerdict; readonly asked: boolean };

interface FileScanner extends Pick<JobContext, 'storage' | 'signal'> {
  readonly scanner: VirusScanner;
}

const notAsked = (verdict: FileVerdict): ScannedFile => ({ verdict, asked: false });
const unreadable = notAsked({ kind: 'unscanned', reason: 'unreadable' });

/** Errors: `ScanError`, `StorageError` of a storage that is away, and the signal's reason. */
export async function scanFile({ scanner, storage, signal }: FileScanner, file: FileToScan): Promise<ScannedFile> {
  const size = Number(file.size ?? 0);
  if (size === 0) return notAsked({ kind: 'clean' });
  if (size > scanner.maxBytes) return notAsked({ kind: 'unscanned', reason: 'too_large' });
  try {
    const bytes = await storage.read(objectKeyOf(file));
    // It may break before anybody reads it, and would end the process then. Who reads it hears of it all the same.
    bytes.on('error', () => undefined);
    let read = 0;
    async function* counted(): AsyncGenerator<Uint8Array> {
      for await (const piece of bytes as AsyncIterable<Uint8Array>) {
        read += piece.length;
        yield piece;
      }
    }
    try {
      const verdict = await scanner.scan(counted(), signal);
      if (verdict.kind === 'clean' && read !== size) return unreadable;
      return { verdict: verdict.kind === 'too_large' ? { kind: 'unscanned', reason: 'too_large' } : verdict, asked: true };
    } finally {
      bytes.destroy();
    }
  } catch (error) {
    if (error instanceof StorageError && (error.code === 'no_such_object' || error.code === 'object_damaged')) return unreadable;
    throw error;
  }
}

/**
 * A file among which may be the one that the scanner fails on. It counts as one that cannot be scanned if the scanner answers
 * before it, and not with it: one that fails with everything is away, or no scanner.
 */
export async function scanSuspect(context: FileScanner, file: FileToScan): Promise<ScannedFile> {
  await context.scanner.version(context.signal);
  try {
    return await scanFile(context, file);
  } catch (error) {
    if (!(error instanceof ScanError) || error.code === 'unreachable') throw error;
    return notAsked({ kind: 'unscanned', reason: 'refused' });
  }
}
