import type { Watch } from '#filesystem/port.ts';
import { wordsOf } from '../../errors.ts';
import { isIgnoredName } from '../../folders/ignored-names.ts';
import { untilDiskAnswers } from '../../folders/until-disk-answers.ts';
import type { AutomationRecord, UploadAutomation, WatchedFolder } from '../record.ts';
import { isUpload } from '../record.ts';
import { windowAt } from '../rules/time-windows.ts';
import type { AutomationWork, PassResult, WorkContext } from '../runner/work.ts';
import { type AfterPorts, afterActions } from './after-actions.ts';
import type { Decision, PlannedPackage } from './decide.ts';
import { type Forms, formsFor } from './forms.ts';
import { fillPackages, letGo, openPackages, recheckMs } from './growing/open-packages.ts';
import { type Look, type LookOptions, type LookPorts, look } from './look.ts';
import { named } from './ready-package.ts';
import { askFor, needsPerson, type SendPorts, sendPackage } from './send-package.ts';
import { type SettlePorts, settleTransfers } from './settle.ts';
import { createStability } from './stability.ts';

export interface UploadWorkPorts extends Omit<LookPorts, 'ledger'>, SendPorts, SettlePorts, Omit<AfterPorts, 'registry'> {
  /** Milliseconds of a clock that only goes forward. */
  readonly elapsed: () => number;
  readonly clock: { after(milliseconds: number, callback: () => void): () => void };
  readonly log: { warn(facts: object, message: string): void };
}

/** Times of watching, in milliseconds. */
const watchTimes = { settleMs: 500, maximumDelayMs: 5_000, rescanMs: 600_000, pollMs: 30_000 };
/** Where something stands in the way: a full disk, a Portal that is closed. */
const retryMs = 30_000;

/** What an automation that sends does at each pass: follows its transfers, looks, decides, sends. */
export function createUploadWork(ports: UploadWorkPorts, context: WorkContext): AutomationWork {
  const stability = createStability();
  const contents: LookOptions['contents'] = new Map();
  let watching: { readonly path: string; readonly identity: string; readonly watch: Watch; everyMs: number } | null = null;

  const stopWatching = async (): Promise<void> => {
    const before = watching;
    watching = null;
    await before?.watch.close();
  };

  const watch = async (path: string, identity: string, recursive: boolean): Promise<void> => {
    if (watching?.path === path && watching.identity === identity) return;
    await stopWatching();
    const opened = ports.fileSystem.watch(path, {
      ...watchTimes,
      onScanDue: context.wake,
      onTrouble: (error) => ports.log.warn({ automation: context.id, error: wordsOf(error) }, 'events of a watched folder are missed'),
      ignored: (at) => isIgnored(at.slice(path.length), recursive),
      clock: ports.clock,
    });
    const now = { path, identity, watch: opened, everyMs: watchTimes.rescanMs };
    watching = now;
    void opened.ready.then((how) => {
      if (how === 'polling') now.everyMs = watchTimes.pollMs;
    });
  };

  const pass = async (record: UploadAutomation, signal: AbortSignal): Promise<PassResult> => {
    await untilDiskAnswers(record.fields.folder, ports.fileSystem);
    signal.throwIfAborted();
    await settleTransfers(ports, record.id, signal);
    const grows = record.fields.growing && record.fields.package_per !== 'marker';
    if (!grows) ports.store.writer.write(() => letGo(ports, record.id));
    const found = await look({ ...ports, ledger: ports.store.automations.ledger }, record, {
      stillness(unsent) {
        const now = ports.elapsed();
        stability.observe(unsent, now);
        return (file) => stability.stillFor(file, now);
      },
      ...(grows ? { growing: { hasGrown: stability.hasGrown, open: (realPath: string) => openPackages(ports, record, realPath) } } : {}),
      contents,
      signal,
    });
    // It may have been left behind meanwhile, by a disk that did not answer.
    signal.throwIfAborted();
    const { realPath, root } = found.scan;
    await watch(realPath, root.identity, record.fields.recursive);
    noteRenamed(ports, record, found);
    await noteStart(ports, record, found);
    fillPackages(ports, record, found.scan, found.growing);
    const obstacle = await afterActions(ports, record, realPath, signal);
    const sent = await sendReady(ports, record, found, contents, signal);
    const everyMs = watching?.everyMs ?? watchTimes.rescanMs;
    const { begins, open } = found.growing;
    return resultOf(ports, found.decision, sent, obstacle, begins.length + open > 0 ? Math.min(everyMs, recheckMs) : everyMs);
  };

  return {
    async pass(record: AutomationRecord, signal) {
      if (!isUpload(record)) throw new Error('This is no automation that sends.');
      try {
        return await pass(record, signal);
      } catch (cause) {
        // What is watched may be another folder once it is back.
        await stopWatching();
        throw cause;
      }
    },
    close: stopWatching,
  };
}

/** Events of these make no scan due. `inside` begins with the separator, or is empty. */
function isIgnored(inside: string, recursive: boolean): boolean {
  const names = inside.split(/[\\/]/).slice(1);
  return names.some(isIgnoredName) || (!recursive && names.length > 1);
}

/** A name that is gone leaves the ledger, so that a file counts once; one that failed keeps it for its transfer. */
function noteRenamed({ store }: UploadWorkPorts, { id }: UploadAutomation, { renamed, scan }: Look): void {
  if (renamed.length === 0) return;
  const { ledger } = store.automations;
  const there = new Set(scan.files.map(({ path }) => path));
  const gone = renamed.filter(({ row, from }) => row.state !== 'failed' && !there.has(from));
  const rows = renamed.map(({ row }) => row);
  store.writer.write(() => {
    ledger.put(id, rows);
    for (const { from } of gone) ledger.remove(id, from);
  });
}

/** Folders that were at the path before, of which an automation knows that it has begun with them. */
const mostFolders = 32;

const isSame = (one: WatchedFolder, other: WatchedFolder): boolean => one.dev === other.dev && one.identity === other.identity;

/** What lies there at the start is in the ledger before anything is sent, in one commit. */
async function noteStart(ports: UploadWorkPorts, record: UploadAutomation, { scan, fromTheStart }: Look): Promise<void> {
  const { started, startedBefore = [] } = record.facts;
  if (started && isSame(started, scan.root)) return;
  const others = [...startedBefore, ...(started ? [started] : [])].filter((one) => !isSame(one, scan.root)).slice(-mostFolders);
  const at = ports.now();
  ports.store.writer.write(() => {
    const rows = fromTheStart.map(({ path, size, mtimeMs, identity }) => {
      return { key: path, path, size, modifiedAt: mtimeMs, identity, state: 'existing' as const, at };
    });
    ports.store.automations.ledger.put(record.id, rows);
    ports.patchFacts(record.id, { started: scan.root, ...(others.length > 0 ? { startedBefore: others } : {}) });
  });
  await ports.store.writer.committed();
}

interface Sent {
  readonly packages: number;
  /** Until the time window opens; `null` while it is open. */
  readonly closedUntil: number | null | 'for_ever';
  /** Entries whose form a person has to complete. */
  readonly asked: number;
  /** Why something could not be sent; `null` if nothing stood in the way. */
  readonly failure: { readonly message: string; readonly person: boolean } | null;
}

async function sendReady(
  ports: UploadWorkPorts,
  record: UploadAutomation,
  { scan, decision, growing }: Look,
  contents: LookOptions['contents'],
  signal: AbortSignal,
): Promise<Sent> {
  const { schedule } = record.fields;
  const window = schedule === undefined ? { open: true, changesAt: null } : windowAt(schedule, ports.now());
  const due = [...growing.begins, ...decision.packages];
  if (!window.open && due.length > 0) {
    return { packages: 0, closedUntil: window.changesAt ?? 'for_ever', asked: 0, failure: null };
  }
  let packages = 0;
  let asked = 0;
  let counter = record.facts.counter;
  let forms: Forms | null = null;
  for (const planned of due) {
    signal.throwIfAborted();
    try {
      forms ??= await formsFor({ ...ports, questions: ports.store.automations.questions }, record, scan, signal);
      const ready = named(record, planned, counter + 1, ports.now());
      const filled = await forms.fill(ready);
      // What is missing may still come while it grows: it is asked for once all of it is whole.
      if (filled.missing.length > 0 && planned.whole) continue;
      if (filled.missing.length > 0) {
        askFor(ports, record, planned.entry, filled.missing);
        asked++;
        continue;
      }
      await sendPackage(
        ports,
        record,
        { ...ready, form: filled.values },
        {
          folder: scan.realPath,
          contentOf: (path) => contents.get(path)?.blake3 ?? '',
          signal,
        },
      );
      counter = ready.counter;
      packages++;
    } catch (cause) {
      signal.throwIfAborted();
      return { packages, closedUntil: null, asked, failure: { message: wordsOf(cause), person: needsPerson(cause) } };
    }
  }
  forgetAnswered(ports, record, due, decision);
  return { packages, closedUntil: null, asked, failure: null };
}

/** Questions about entries that are not there any more. */
function forgetAnswered(ports: UploadWorkPorts, record: UploadAutomation, packages: readonly PlannedPackage[], decision: Decision): void {
  const { questions } = ports.store.automations;
  const there = new Set([...packages.map(({ entry }) => entry), ...decision.waiting.map(({ path }) => path)]);
  const gone = questions.all(record.id).filter(({ entry }) => !there.has(entry));
  if (gone.length === 0) return;
  ports.store.writer.write(() => {
    for (const { entry } of gone) questions.remove(record.id, entry);
  });
}

function resultOf(
  ports: UploadWorkPorts,
  decision: Decision,
  { closedUntil, failure }: Sent,
  obstacle: string,
  everyMs: number,
): PassResult {
  const [first] = decision.waiting;
  const until = typeof closedUntil === 'number' ? closedUntil - ports.now() : null;
  const waitingFor =
    closedUntil !== null
      ? closedUntil === 'for_ever'
        ? 'Its time window never opens.'
        : `Its time window opens at ${new Date(closedUntil).toISOString()}.`
      : first
        ? first.path === ''
          ? first.reason
          : `${first.path}: ${first.reason}`
        : '';
  const message = failure?.message ?? obstacle;
  const next = [everyMs, ...(until === null ? [] : [until]), ...(message === '' ? [] : [retryMs])];
  if (decision.nextInMs !== null) next.push(decision.nextInMs);
  return {
    nextInMs: Math.max(0, Math.min(...next)),
    waitingFor,
    waiting: decision.waitingFiles + (closedUntil === null ? 0 : decision.packages.reduce((sum, { files }) => sum + files.length, 0)),
    message,
    state: failure?.person ? 'needs_you' : message === '' ? 'watching' : 'error',
  };
}
