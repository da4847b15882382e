import { type GroupedFile, type GroupingRule, groupPackages } from '../rules/group-packages.ts';
import type { PatternVerdict } from '../rules/patterns.ts';
import type { Knowledge } from './knowledge.ts';
import type { SeenFile, Trouble } from './scan-folder.ts';

/** A file with all that a decision needs to know of it. */
export interface Candidate {
  readonly file: SeenFile;
  readonly verdict: PatternVerdict;
  readonly known: Knowledge;
  /** Milliseconds. */
  readonly stillFor: number;
  /** How long it has to be still, where that is not what the rule says. */
  readonly settleMs?: number;
  /** Whether it was seen to become larger. */
  readonly hasGrown?: boolean;
  /** Whether another process has it open for writing. */
  readonly open: boolean;
}

export interface DecisionRule extends GroupingRule {
  readonly settleMs: number;
  /** Also names what was sent, which may be a hundred thousand files. */
  readonly namesKnown?: boolean | undefined;
}

export interface PlannedPackage {
  /** The entry's name, and that of the folder it lies in. */
  readonly name: string;
  readonly folder: string;
  /** Inside the watched folder; empty for all of it. */
  readonly entry: string;
  readonly files: readonly SeenFile[];
  /** Folders with nothing in them that belong to the entry. */
  readonly emptyFolders: readonly string[];
  /** Set where files may be sent while they grow: the paths of those that are whole already. */
  readonly whole?: ReadonlySet<string>;
}

export interface Decision {
  readonly packages: readonly PlannedPackage[];
  /** What is there and cannot go yet, with the first reason of each entry. */
  readonly waiting: readonly Trouble[];
  /** How many files wait. */
  readonly waitingFiles: number;
  /** What is not to be sent, and why. */
  readonly skipped: readonly Trouble[];
  /** What was sent, or is being sent; empty unless it is asked for. */
  readonly known: readonly Trouble[];
  /** Milliseconds until something may be ready by the clock alone; `null` if nothing will be. */
  readonly nextInMs: number | null;
}

interface Grouped extends GroupedFile {
  readonly candidate: Candidate | null;
  readonly reason: string;
}

/** A text for each number, made once: of a hundred thousand files most wait for equally long. */
function onceEach(make: (number: number) => string): (number: number) => string {
  const made = new Map<number, string>();
  return (number) => {
    const text = made.get(number) ?? make(number);
    made.set(number, text);
    return text;
  };
}

/** Whether an open file was closed is seen by looking. Milliseconds. */
const openFilesEveryMs = 5_000;

/**
 * Decides what goes now, in which packages, and what waits or is left out (contract/agent.md §10.1). Pure: a dry run is
 * this and nothing else.
 */
export function decide(
  candidates: readonly Candidate[],
  { emptyFolders, troubles }: { readonly emptyFolders: readonly string[]; readonly troubles: readonly Trouble[] },
  rule: DecisionRule,
): Decision {
  const skipped: Trouble[] = [];
  const known: Trouble[] = [];
  const stillText = onceEach((left: number) => `It has to be still for ${left} s more.`);
  const files: Grouped[] = [];
  for (const candidate of candidates) {
    const { file, verdict, known: knowledge } = candidate;
    if (!verdict.sent) {
      skipped.push({ path: file.path, reason: verdict.by === '' ? 'No pattern includes it.' : `It is excluded by ${verdict.by}.` });
      continue;
    }
    if (knowledge === 'failed')
      skipped.push({ path: file.path, reason: 'Its transfer failed or was cancelled. Retry that, or forget the entry.' });
    if (knowledge === 'existing') skipped.push({ path: file.path, reason: 'It lay there at the start.' });
    if (rule.namesKnown && knowledge === 'sent') known.push({ path: file.path, reason: 'It was sent already.' });
    if (rule.namesKnown && knowledge === 'under_way') known.push({ path: file.path, reason: 'It is being sent.' });
    const reason = knowledge === 'new' ? delayOf(candidate, rule.settleMs, stillText) : '';
    files.push({ path: file.path, ready: reason === '', sent: knowledge !== 'new', candidate, reason });
  }
  // An entry with something that cannot be read goes when it can, as a whole.
  for (const { path, reason } of troubles) files.push({ path, ready: false, sent: false, candidate: null, reason });

  const { packages, waiting } = groupPackages(files, rule);
  return {
    packages: packages.map(({ name, folder, path, files: chosen }) => ({
      name,
      folder,
      entry: path,
      files: chosen.flatMap(({ candidate }) => (candidate ? [candidate.file] : [])),
      emptyFolders: emptyFolders.filter((one) => belongsTo(one, path, chosen)),
    })),
    waiting: waiting.map((group) => ({ path: group.path, reason: reasonOf(group, rule) })),
    waitingFiles: waiting.reduce((sum, group) => sum + group.files.length, 0),
    skipped,
    known,
    nextInMs: nextIn(candidates, rule.settleMs),
  };
}

/** Why a new file cannot go yet, as a sentence; empty if it can. */
function delayOf({ verdict, stillFor, open, settleMs: own }: Candidate, usual: number, stillText: (left: number) => string): string {
  const settleMs = own ?? usual;
  if (!verdict.ready) return `Its name says that it is not ready (${verdict.by}).`;
  if (stillFor < settleMs) return stillText(Math.ceil((settleMs - stillFor) / 1_000));
  if (open) return 'Another program has it open for writing.';
  return '';
}

function reasonOf({ why, files }: { readonly why: string; readonly files: readonly Grouped[] }, { marker }: DecisionRule): string {
  const held = files.find(({ ready }) => !ready);
  if (why === 'not_ready' && held) return files.length === 1 ? held.reason : `${held.path}: ${held.reason}`;
  return why === 'marker_only' ? 'There is nothing in it but its marker.' : `Its marker is not there (${marker ?? '_READY'}).`;
}

/** Entries that hold nothing but empty folders are not sent: somebody is about to fill them. */
function belongsTo(folder: string, entry: string, files: readonly Grouped[]): boolean {
  if (entry !== '') return folder.startsWith(`${entry}/`);
  const top = folder.split('/', 1)[0]!;
  return files.some(({ path }) => path.startsWith(`${top}/`));
}

function nextIn(candidates: readonly Candidate[], usual: number): number | null {
  let next: number | null = null;
  const at = (ms: number): void => {
    next = Math.min(next ?? ms, ms);
  };
  for (const { known, verdict, stillFor, open, settleMs = usual } of candidates) {
    if (known !== 'new' || !verdict.sent || !verdict.ready) continue;
    if (stillFor < settleMs) at(settleMs - stillFor);
    else if (open) at(openFilesEveryMs);
  }
  return next;
}
