import { type FileChange, namedChanges, type PackageEvent } from '#protocol/hosted/package-events.ts';

/** The last change of each file, by its id. */
export type Changes = ReadonlyMap<string, FileChange['change']>;

/** Pending changes of one package, bounded: above the limit only their number is kept. */
export interface ChangeList {
  readonly named: Map<string, FileChange['change']>;
  unnamed: number;
}

export const noChanges = (): ChangeList => ({ named: new Map(), unnamed: 0 });

export function addChanges(list: ChangeList, changes: Changes, unnamed = 0): void {
  list.unnamed += unnamed;
  for (const [id, change] of changes) {
    if (list.named.size < namedChanges || list.named.has(id)) list.named.set(id, change);
    else list.unnamed += 1;
  }
}

/**
 * Merges events for a reader who has not taken the earlier one yet: the newer state and the changes of both. So the
 * queue of a slow reader never grows.
 */
export function mergeEvents(earlier: PackageEvent | null, later: PackageEvent): PackageEvent {
  if (!earlier) return later;
  const changes = new Map<string, FileChange>();
  let unnamed = earlier.unnamed_changes + later.unnamed_changes;
  for (const change of [...earlier.changes, ...later.changes]) {
    if (changes.size < namedChanges || changes.has(change.id)) changes.set(change.id, change);
    else unnamed += 1;
  }
  // The first event of a stream stays its first, and an end is not lost behind progress.
  const type = earlier.type === 'state' ? 'state' : later.type === 'progress' ? earlier.type : later.type;
  return { ...later, type, changes: [...changes.values()], unnamed_changes: unnamed };
}
