import { join } from 'node:path';
import type { FileSystem } from '#filesystem/port.ts';
import type { PathGuard } from '../../folders/path-guard.ts';
import type { LedgerRow, UploadAutomation, WatchedFolder } from '../record.ts';
import { folderNameOf } from '../rules/group-packages.ts';
import { compilePatterns, type PatternVerdict } from '../rules/patterns.ts';
import type { Ledger } from '../store/ledger.ts';
import { contentOf } from './content.ts';
import { type Candidate, type Decision, decide } from './decide.ts';
import { type GrowingPlan, type OpenPackage, planGrowing } from './growing/growing-plan.ts';
import { type Knowledge, knowledgeOf, renamedFrom } from './knowledge.ts';
import { type FolderScan, type SeenFile, scanFolder } from './scan-folder.ts';

/** What looking at a watched folder needs. Nothing here changes anything. */
export interface LookPorts {
  readonly ledger: Pick<Ledger, 'byKey' | 'byIdentity' | 'byContent'>;
  readonly fileSystem: FileSystem;
  /** Of these real paths, those that another process has open for writing. */
  readonly openForWriting: (paths: ReadonlySet<string>) => Promise<ReadonlySet<string>>;
  /** Keeps a restricted automation inside the allowed folders. */
  readonly pathGuard: PathGuard;
}

export interface LookOptions {
  /** Milliseconds for which a file has been as it is; called once for all files, then for each. */
  readonly stillness: (unsent: readonly SeenFile[]) => (file: SeenFile) => number;
  /** Files may be sent while they grow: which did, asked after `stillness`, and the packages that are open for more. */
  readonly growing?: { readonly hasGrown: (file: SeenFile) => boolean; readonly open: (realPath: string) => readonly OpenPackage[] };
  /** Also names what was sent. */
  readonly namesKnown?: boolean;
  /** Digests of earlier looks, by path; kept up to date. */
  readonly contents: Map<string, { readonly file: SeenFile; readonly blake3: string }>;
  readonly signal: AbortSignal;
}

/** What was sent and has another name now: its new name goes into the ledger, since its old one may be given again. */
export interface Renamed {
  /** As it is to be. */
  readonly row: LedgerRow;
  /** The key that the ledger has it by. */
  readonly from: string;
}

export interface Look {
  readonly scan: FolderScan;
  /** What counts as there from the start, because the automation has not worked on this folder before. */
  readonly fromTheStart: readonly SeenFile[];
  readonly renamed: readonly Renamed[];
  readonly decision: Decision;
  /** What is sent while it grows; not in `decision`. */
  readonly growing: GrowingPlan;
}

const everything: PatternVerdict = { sent: true, ready: true, by: '' };
/** Files looked up before the event loop gets a turn. */
const slice = 256;

/** Scans the folder of an automation and decides what is to be sent. */
export async function look(ports: LookPorts, record: UploadAutomation, options: LookOptions): Promise<Look> {
  const { fields } = record;
  const { ledger, fileSystem } = ports;
  const { signal, contents } = options;
  const guard = record.restricted ? ports.pathGuard : null;
  const scan = await scanFolder(fields.folder, { recursive: fields.recursive, guard, fileSystem, signal });
  const { include, exclude, not_ready: notReady } = fields;
  const verdictOf = compilePatterns({ include, exclude, notReady, folder: scan.realPath });

  const known: Knowledge[] = [];
  const verdicts: PatternVerdict[] = [];
  const fromTheStart: SeenFile[] = [];
  const unsent: SeenFile[] = [];
  const renamed: Renamed[] = [];
  for (const [index, file] of scan.files.entries()) {
    if (index % slice === slice - 1) {
      await new Promise((resume) => setImmediate(resume));
      signal.throwIfAborted();
    }
    known.push(knowledgeInLedger(ledger, record.id, file, renamed));
  }
  const isStart = !fields.existing && isAnotherFolder(record, scan, known);
  for (const [index, file] of scan.files.entries()) {
    if (index % slice === slice - 1) {
      await new Promise((resume) => setImmediate(resume));
      signal.throwIfAborted();
    }
    if (known[index] === 'new' && isStart && !cameAfter(record, file)) {
      fromTheStart.push(file);
      known[index] = 'existing';
    }
    const knowledge = known[index]!;
    // Patterns are slow beside a look into the ledger, and decide nothing about what was sent.
    const verdict = knowledge === 'new' ? verdictOf(file.path) : everything;
    verdicts.push(verdict);
    if (knowledge === 'new' && verdict.sent) unsent.push(file);
  }

  const stillFor = options.stillness(unsent);
  const settleMs = fields.settle_seconds * 1_000;
  const hasGrown = options.growing?.hasGrown ?? (() => false);
  const idleMs = Math.max(settleMs, fields.growing_idle_seconds * 1_000);
  const settleOf = (file: SeenFile): number => (hasGrown(file) ? idleMs : settleMs);
  const still = unsent.filter((file) => stillFor(file) >= settleOf(file));
  const pathOf = ({ path }: SeenFile): string => join(scan.realPath, path);
  const open = await ports.openForWriting(new Set(still.map(pathOf)));
  const sentBefore = fields.by_content
    ? await knownContents(
        ports,
        record.id,
        still.filter((file) => !open.has(pathOf(file))),
        pathOf,
        contents,
        signal,
      )
    : new Map<string, Knowledge>();

  const candidates: Candidate[] = scan.files.map((file, index) => {
    const knowledge = sentBefore.get(file.path) ?? known[index]!;
    return {
      file,
      verdict: verdicts[index]!,
      known: knowledge,
      stillFor: knowledge === 'new' ? stillFor(file) : 0,
      settleMs: settleOf(file),
      hasGrown: hasGrown(file),
      open: knowledge === 'new' && open.has(pathOf(file)),
    };
  });
  const { package_per: per, marker, folder } = fields;
  const folderName = folderNameOf(folder);
  const growing =
    options.growing && per !== 'marker'
      ? planGrowing(candidates, scan, options.growing.open(scan.realPath), { per, folderName })
      : { begins: [], joins: [], closes: [], open: 0, rest: candidates };
  return {
    scan,
    fromTheStart,
    renamed,
    growing,
    decision: decide(growing.rest, scan, { per, marker, folderName, settleMs, namesKnown: options.namesKnown }),
  };
}

/**
 * Whether the automation has not worked on this folder before. One that was renamed is the same; another one on the same
 * disk has come in its place, and what is in it is new; a disk that was mounted is another, unless it was here before:
 * meanwhile its mount point was, and what has come to it since is new. It is also known by what the ledger knows of its
 * files, since some file systems number their folders anew when they are mounted.
 */
function isAnotherFolder({ facts }: UploadAutomation, { root }: FolderScan, known: readonly Knowledge[]): boolean {
  const { started, startedBefore = [] } = facts;
  if (started === undefined) return true;
  const isHere = (one: WatchedFolder): boolean => one.dev === root.dev || one.identity === root.identity;
  return ![started, ...startedBefore].some(isHere) && known.every((knowledge) => knowledge === 'new');
}

/** Whether it came between the making of the automation and its first look, which a crash may have put off for long. */
function cameAfter({ facts, updatedAt }: UploadAutomation, { ctimeMs }: SeenFile): boolean {
  return facts.started === undefined && ctimeMs >= updatedAt + 1;
}

/** @param renamed gets the rows of files that are known under another name */
function knowledgeInLedger(ledger: LookPorts['ledger'], id: string, file: SeenFile, renamed: Renamed[]): Knowledge {
  const byKey = ledger.byKey(id, file.path);
  const known = byKey ? knowledgeOf(file, { byKey, byIdentity: [], byContent: [] }) : 'new';
  if (known !== 'new') return known;
  const byIdentity = ledger.byIdentity(id, file.identity);
  const row = renamedFrom(file, byIdentity);
  // The rows of a transfer under way belong to that.
  if (row && row.state !== 'sending') renamed.push({ row: { ...row, key: file.path, path: file.path }, from: row.key });
  return knowledgeOf(file, { byKey, byIdentity, byContent: [] });
}

/** Of files that are still, what the ledger knows by their content. Each version of a file is read once. */
async function knownContents(
  { ledger, fileSystem }: LookPorts,
  id: string,
  files: readonly SeenFile[],
  pathOf: (file: SeenFile) => string,
  contents: LookOptions['contents'],
  signal: AbortSignal,
): Promise<Map<string, Knowledge>> {
  const found = new Map<string, Knowledge>();
  const needed = new Set(files.map(({ path }) => path));
  for (const path of contents.keys()) if (!needed.has(path)) contents.delete(path);
  for (const file of files) {
    let content = contents.get(file.path);
    if (!content || content.file.size !== file.size || content.file.mtimeMs !== file.mtimeMs || content.file.inode !== file.inode) {
      try {
        content = { file, blake3: await contentOf(pathOf(file), fileSystem, signal) };
      } catch {
        signal.throwIfAborted();
        // The upload meets it again, and says so.
        continue;
      }
      contents.set(file.path, content);
    }
    const known = knowledgeOf(file, { byKey: null, byIdentity: [], byContent: ledger.byContent(id, content.blake3) });
    if (known !== 'new') found.set(file.path, known);
  }
  return found;
}
