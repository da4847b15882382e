import { largestSmallFile } from '../concurrency/limits.ts';
import type { FileRecord } from '../record.ts';

/** Small and large files have slots of their own, so that neither waits for the other. */
export type SizeClass = 'small' | 'large';

/** What the pipeline moves: one or more files. Only small files share one. */
export interface Batch {
  readonly sizeClass: SizeClass;
  readonly files: readonly FileRecord[];
}

export interface PlanRules {
  /** Whether the file may be in a batch with others. */
  readonly shares: (file: FileRecord) => boolean;
  /** Of one batch; with one file or none, no file shares. */
  readonly most: { readonly files: number; readonly bytes: number };
}

/**
 * Every file in exactly one batch. Files that share fill one batch after the other, whatever stands between them; every
 * other file is a batch of one. Batches stand in the order of their first files, which is that of `files`.
 */
export function plan(files: readonly FileRecord[], { shares, most }: PlanRules): readonly Batch[] {
  const batches: Batch[] = [];
  let open: FileRecord[] = [];
  let bytes = 0;
  for (const file of files) {
    if (!shares(file)) {
      batches.push(batchOfOne(file));
      continue;
    }
    if (open.length === 0 || open.length >= most.files || bytes + file.size > most.bytes) {
      open = [];
      bytes = 0;
      batches.push({ sizeClass: 'small', files: open });
    }
    open.push(file);
    bytes += file.size;
  }
  return batches;
}

export function batchOfOne(file: FileRecord): Batch {
  return { sizeClass: file.size > largestSmallFile ? 'large' : 'small', files: [file] };
}
