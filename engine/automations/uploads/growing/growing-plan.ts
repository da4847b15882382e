import { entryOf, namesOf } from '../../rules/group-packages.ts';
import type { Candidate, PlannedPackage } from '../decide.ts';
import type { Trouble } from '../scan-folder.ts';

/** A package of this automation that is still open for files of its entry. */
export interface OpenPackage {
  readonly transferId: string;
  /** Inside the watched folder; empty for all of it, `null` if it is of another folder. */
  readonly entry: string | null;
  /** Nothing of it is left to send. */
  readonly isSent: boolean;
}

/** Files that have come into the entry of an open package. */
interface Joining extends Pick<PlannedPackage, 'entry' | 'files' | 'whole'> {
  readonly transferId: string;
}

export interface GrowingPlan {
  /** Packages that begin now, because something in them grows. */
  readonly begins: readonly PlannedPackage[];
  readonly joins: readonly Joining[];
  /** Packages to which nothing is added any more, with the empty folders of each. */
  readonly closes: readonly { readonly transferId: string; readonly entry: string | null; readonly emptyFolders: readonly string[] }[];
  /** How many are open. */
  readonly open: number;
  /** What is decided as if nothing grew. */
  readonly rest: readonly Candidate[];
}

interface GrowingRule {
  readonly per: 'entry' | 'batch';
  /** The watched folder's own name. */
  readonly folderName: string;
}

/** Smaller files are whole before anything of them could be sent; so no package is begun for them. */
export const leastGrowingBytes = 8 * 1024 * 1024;

/**
 * Which packages are opened, filled and closed while their files grow (docs/decisions/0059). A package begins with a file
 * that was seen to grow, takes everything that comes into its entry, and is closed once nothing of it is left to send,
 * and nothing in its entry waits. Pure.
 */
export function planGrowing(
  candidates: readonly Candidate[],
  { emptyFolders, troubles }: { readonly emptyFolders: readonly string[]; readonly troubles: readonly Trouble[] },
  open: readonly OpenPackage[],
  { per, folderName }: GrowingRule,
): GrowingPlan {
  const begins: PlannedPackage[] = [];
  const joins: Joining[] = [];
  const taken = new Set<Candidate>();
  const busy = new Set<string>(troubles.map(({ path }) => entryOf(path, per)));
  const target = new Map<string, OpenPackage>();
  for (const one of open) if (one.entry !== null && !target.has(one.entry)) target.set(one.entry, one);

  const entries = Map.groupBy(
    candidates.filter(({ known, verdict }) => known === 'new' && verdict.sent),
    ({ file }) => entryOf(file.path, per),
  );
  for (const [entry, found] of entries) {
    busy.add(entry);
    const ready = found.filter(({ verdict }) => verdict.ready);
    const to = target.get(entry);
    if (ready.length === 0 || !(to || ready.some(isGrowing))) continue;
    for (const candidate of ready) taken.add(candidate);
    const files = { files: ready.map(({ file }) => file), whole: new Set(ready.filter(isWhole).map(({ file }) => file.path)) };
    if (to) joins.push({ transferId: to.transferId, entry, ...files });
    else begins.push({ ...namesOf(entry, folderName), entry, emptyFolders: [], ...files });
  }

  const sent = new Set(candidates.filter(({ verdict }) => verdict.sent).map(({ file }) => entryOf(file.path, 'entry')));
  const belongsTo = (folder: string, entry: string | null): boolean =>
    entry === '' ? sent.has(entryOf(folder, 'entry')) : entry !== null && folder.startsWith(`${entry}/`);
  const closes = open
    .filter(
      ({ entry, isSent, transferId }) => isSent && !(entry !== null && busy.has(entry) && target.get(entry)?.transferId === transferId),
    )
    .map(({ transferId, entry }) => ({ transferId, entry, emptyFolders: emptyFolders.filter((folder) => belongsTo(folder, entry)) }));
  return { begins, joins, closes, open: open.length, rest: candidates.filter((candidate) => !taken.has(candidate)) };
}

const isGrowing = ({ hasGrown, file, stillFor, settleMs = 0 }: Candidate): boolean =>
  hasGrown === true && file.size >= leastGrowingBytes && stillFor < settleMs;

const isWhole = ({ stillFor, settleMs, open }: Candidate): boolean => settleMs !== undefined && stillFor >= settleMs && !open;
