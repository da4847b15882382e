import type { UploadHandle } from '#providers/ports.ts';
import { type DeliveredObject, type JournalChange, manifestId } from './delivery/ports.ts';

/** A file's row as the changes leave it. */
interface WrittenFile {
  readonly id: string;
  readonly target: string;
  readonly upload: UploadHandle | null;
  /** Bytes. */
  readonly stored: number;
  readonly object: DeliveredObject | null;
  readonly message: string;
}

/** What changes in a row that stays otherwise as it is; null: that stays too. */
interface FileProgress {
  readonly id: string;
  readonly stored: number | null;
  readonly message: string | null;
}

export interface FoldedChanges {
  /** Rows that are as before their file was begun. */
  readonly reset: readonly string[];
  readonly files: readonly WrittenFile[];
  readonly progress: readonly FileProgress[];
}

type Folded =
  | { readonly kind: 'written'; readonly file: WrittenFile }
  | { readonly kind: 'progress'; readonly progress: FileProgress }
  | { readonly kind: 'reset' };

/**
 * Changes in their order as one change a file, so that three statements write any number of them: many small files are begun
 * and complete in one call. The manifest has the id of the transfer.
 */
export function foldChanges(changes: readonly JournalChange[], transferId: string): FoldedChanges {
  const folded = new Map<string, Folded>();
  for (const change of changes) {
    const id = change.id === manifestId ? transferId : change.id;
    folded.set(id, next(folded.get(id), { ...change, id }));
  }
  const all = [...folded];
  return {
    reset: all.flatMap(([id, { kind }]) => (kind === 'reset' ? [id] : [])),
    files: all.flatMap(([, one]) => (one.kind === 'written' ? [one.file] : [])),
    progress: all.flatMap(([, one]) => (one.kind === 'progress' ? [one.progress] : [])),
  };
}

function next(before: Folded | undefined, change: JournalChange): Folded {
  const { id } = change;
  switch (change.kind) {
    case 'begun':
      return { kind: 'written', file: { id, target: change.target, upload: change.upload, stored: 0, object: null, message: '' } };
    case 'complete':
      return { kind: 'written', file: { id, target: change.target, upload: null, stored: 0, object: change.object, message: '' } };
    case 'reset':
      return { kind: 'reset' };
    case 'stored':
      return changed(before, id, { stored: change.bytes });
    case 'failed':
      return changed(before, id, { message: change.message });
  }
}

function changed(before: Folded | undefined, id: string, values: { readonly stored?: number; readonly message?: string }): Folded {
  if (before?.kind === 'written') return { kind: 'written', file: { ...before.file, ...values } };
  // Of a file that was put back nothing is stored, and a failure of it comes with its next beginning.
  if (before?.kind === 'reset') return before;
  const known = before?.progress ?? { id, stored: null, message: null };
  return { kind: 'progress', progress: { ...known, ...values } };
}
