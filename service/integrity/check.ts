import type pg from 'pg';
import { BackupError } from '../backup/backup-error.ts';
import { createMeter, type Meter } from '../backup/meter.ts';
import type { ListedItem } from '../backup/object-list.ts';
import { listedItems, objectList, objectsOf, objectTotals } from '../backup/object-list.ts';
import type { OnProgress } from '../backup/ports.ts';
import { forEachOf, gunzipped, gzipped } from '../backup/streams.ts';
import { newClient } from '../database/clients.ts';
import type { DatabaseConnection } from '../database/database-connection.ts';
import { alteredPackages } from './altered-packages.ts';
import { type CheckJournal, type CheckState, type FindingCounts, stateFormat } from './check-state.ts';
import type { CheckedStorage, Look } from './checked-storage.ts';
import type { Finding } from './finding.ts';
import type { Inside } from './inside.ts';
import { itemKey } from './item-key.ts';
import { forgetFinding, forgetOthers, keepFindings } from './kept-findings.ts';
import { checkItem } from './needed-files.ts';
import { findMiscounted, recountSegments } from './segment-counts.ts';

export interface CheckOptions {
  readonly connection: DatabaseConnection;
  /** The service's data folder, in which a check keeps its list. */
  readonly dataDir: string;
  readonly storage: CheckedStorage;
  /** Reads every byte, and compares it with its digest. */
  readonly deep: boolean;
  /** Bytes a second that are read at most; `null` for no limit. */
  readonly rate: number | null;
  /** Frees what no row names, and counts segments again. */
  readonly repair: boolean;
  /** Leaves alone how far an earlier run came. */
  readonly fromStart: boolean;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
  readonly onFinding: (finding: Finding) => void;
}

export interface CheckResult {
  readonly begun_at: string;
  /** Whether an earlier run had begun it. */
  readonly went_on: boolean;
  readonly deep: boolean;
  readonly objects: number;
  /** Bytes. */
  readonly bytes: number;
  readonly findings: readonly Finding[];
}

const keptEveryMilliseconds = 2_000;
/** Digests of a terabyte's chunks are some 600 KB, which are written down once a minute. */
const keptBytesPerMillisecond = 10;
/** An arbitrary number: one check of a service at a time. */
const lockNumber = 0x10abd;

/**
 * Compares the rows with what the storage has, both ways, whether the service runs or not. One that is stopped or killed
 * goes on where it was. What it finds stays as it is, but for what `repair` says. Errors: `BackupError`, PostgreSQL's, and
 * the signal's reason.
 */
export async function checkStorage(options: CheckOptions): Promise<CheckResult> {
  const client = newClient(options.connection, { application_name: 'longshore check' });
  // Its lock is gone with it: another check may begin, so this one reads no more.
  const lost = new AbortController();
  client.on('error', (error) => lost.abort(error));
  await client.connect();
  try {
    const { rows } = await client.query<{ free: boolean }>(`select pg_try_advisory_lock(${lockNumber}) as free`);
    if (!rows[0]!.free)
      throw new BackupError(
        'busy',
        'Another check of this service is under way. Wait for its end; one that was killed is noticed within seconds.',
      );
    await options.storage.requireOwn(client);
    return await checkBy(client, { ...options, signal: AbortSignal.any([options.signal, lost.signal]) }, lost.signal);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function checkBy(client: pg.Client, options: CheckOptions, lost: AbortSignal): Promise<CheckResult> {
  const journal = options.storage.journal(client, options.dataDir, options.deep);
  try {
    return await checkWith(client, journal, options, lost);
  } finally {
    // Otherwise another run may work with the same folder by now.
    if (!lost.aborted) await journal.leave();
  }
}

async function checkWith(client: pg.Client, journal: CheckJournal, options: CheckOptions, lost: AbortSignal): Promise<CheckResult> {
  const { deep } = options;
  const earlier = options.fromStart ? null : await journal.read();
  if (earlier && !earlier.state.listed && !journal.keepsList) await writeList(client, journal, earlier.state);
  const state = earlier?.state ?? (await begin(client, journal, options));
  const run = createRun(client, state, journal, options, earlier?.findings ?? [], lost);

  try {
    await goOn(client, journal, run, options);
  } catch (error) {
    if (!lost.aborted) await run.keep().catch(() => undefined);
    throw error;
  }
  await run.keep();
  await forgetOthers(client, run.findings(), deep);
  const { begun_at, totals } = run.state();
  // Only what is left: what was repaired is nobody's trouble any more.
  await journal.end(deep ? { begun_at, ended_at: options.now().toISOString(), ...totals, counts: run.counts() } : null);
  return { begun_at, went_on: earlier !== null, deep, ...totals, findings: run.findings() };
}

async function goOn(client: pg.Client, journal: CheckJournal, run: Run, options: CheckOptions): Promise<void> {
  const { signal, now } = options;
  const meter = createMeter(options.onProgress);
  if (!run.state().listed) {
    await checkList(client, journal, run, options, meter);
    await run.reached({ listed: true, under_way: {} });
  }
  meter.begin('orphans', { objects: 0, bytes: 0 });
  const { unneeded } = run.state();
  if (unneeded !== null) {
    for await (const { reached, findings } of options.storage.unneeded(client, unneeded, now())) {
      signal.throwIfAborted();
      run.note(await repairedOrphans(client, findings, options));
      meter.finished(1);
      await run.reached({ unneeded: reached });
    }
    await run.reached({ unneeded: null });
  }
  if (options.deep) {
    meter.begin('rows', { objects: 0, bytes: 0 });
    for await (const { reached, findings, packages } of alteredPackages(client, run.state().packages)) {
      signal.throwIfAborted();
      run.note(findings);
      meter.finished(packages);
      await run.reached({ packages: reached });
    }
  }
  run.note(await repairedCounts(client, await findMiscounted(client), options));
}

/** Writes down what has to be there, as of one moment. */
async function begin(client: pg.Client, journal: CheckJournal, { deep, now }: CheckOptions): Promise<CheckState> {
  await journal.forget();
  const state: CheckState = {
    ...{
      format: stateFormat,
      deep,
      begun_at: now().toISOString(),
      last_file: await newestFile(client),
      totals: await objectTotals(client),
    },
    ...{ after: '', under_way: {}, listed: false, unneeded: '', packages: '', counts: {} },
  };
  await writeList(client, journal, state);
  await journal.write(state, []);
  return state;
}

/** Ids ascend. Where there is no file, one that comes before all. */
async function newestFile(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ id: string }>('select id from files order by id desc limit 1');
  return rows[0]?.id ?? '00000000-0000-0000-0000-000000000000';
}

const writeList = (client: pg.Client, journal: CheckJournal, { last_file }: CheckState): Promise<void> =>
  journal.list.write(gzipped(objectList(client, { withFacts: true, lastFile: last_file })));

/** What was found and how far it is, kept a few times a minute. */
export function createRun(
  client: pg.Client,
  begun: CheckState,
  journal: Pick<CheckJournal, 'write'>,
  { onFinding, now }: Pick<CheckOptions, 'onFinding' | 'now'>,
  earlier: readonly Finding[],
  lost: AbortSignal,
) {
  let state = begun;
  const underWay = createUnderWay(begun);
  const found = new Map<string, Finding>();
  let unkept: Finding[] = [];
  let keptAt = performance.now();
  let pause = keptEveryMilliseconds;
  const note = (findings: readonly Finding[]) => {
    for (const finding of findings) {
      const name = `${finding.kind} ${finding.key}`;
      if (found.has(name)) continue;
      found.set(name, finding);
      unkept.push(finding);
      onFinding(finding);
    }
  };
  const counts = (): FindingCounts => {
    const of = new Map<string, number>();
    for (const { kind, repaired } of found.values()) if (!repaired) of.set(kind, (of.get(kind) ?? 0) + 1);
    return Object.fromEntries(of);
  };
  const keep = async () => {
    keptAt = performance.now();
    const findings = unkept;
    unkept = [];
    await keepFindings(client, findings, now());
    const kept = { ...state, ...(!state.listed && underWay.state()), counts: counts() };
    pause = Math.max(keptEveryMilliseconds, JSON.stringify(kept.under_way).length / keptBytesPerMillisecond);
    // With its lock gone, what is kept by now may be another run's.
    lost.throwIfAborted();
    await journal.write(kept, findings);
  };
  const keepNowAndThen = async () => {
    if (performance.now() - keptAt >= pause) await keep();
  };
  note(earlier);
  unkept = [];
  return {
    state: () => state,
    underWay,
    findings: () => [...found.values()],
    counts,
    note,
    keep,
    keepNowAndThen,
    async reached(change: Partial<CheckState>) {
      state = { ...state, ...change };
      await keepNowAndThen();
    },
  };
}

type Run = ReturnType<typeof createRun>;

/** The items that are begun and not done, some of them by an earlier run. */
function createUnderWay({ after, under_way }: CheckState) {
  const progress = new Map<string, () => unknown>(Object.entries(under_way).map(([key, kept]) => [key, () => kept]));
  let last = after;
  return {
    isDone: (key: string) => key <= after && !progress.has(key),
    begin(key: string) {
      if (!progress.has(key)) progress.set(key, () => null);
      if (key > last) last = key;
      return { kept: progress.get(key)!(), keep: (next: () => object) => void progress.set(key, next) };
    },
    end: (key: string) => void progress.delete(key),
    state: () => ({ after: last, under_way: Object.fromEntries([...progress].map(([key, tell]) => [key, tell()])) }),
  };
}

async function checkList(client: pg.Client, journal: CheckJournal, run: Run, options: CheckOptions, meter: Meter): Promise<void> {
  const { deep, rate, signal, storage } = options;
  const { underWay } = run;
  const look = storage.look(client, { deep, rate, signal, moved: meter.moved });
  meter.begin('verify', run.state().totals);
  await forEachOf(listedItems(gunzipped(journal.list.read())), deep ? storage.width.deep : storage.width.quick, async (item) => {
    const key = itemKey(item);
    const count = objectsOf(item).length;
    if (underWay.isDone(key)) {
      meter.moved(
        objectsOf(item).reduce((sum, { size }) => sum + size, 0),
        false,
      );
      meter.finished(count);
      return;
    }
    const { kept, keep } = underWay.begin(key);
    signal.throwIfAborted();
    const inside: Inside = {
      kept,
      async keep(progress) {
        keep(progress);
        await run.keepNowAndThen();
      },
    };
    run.note(await judged(client, item, await checkItem(client, item, look, inside), look, options));
    underWay.end(key);
    meter.finished(count);
    await run.keepNowAndThen();
  });
}

/** Withholds an object that is damaged, and gives out again what a deep look finds whole: its bytes were put back. */
async function judged(
  client: pg.Client,
  item: ListedItem,
  findings: readonly Finding[],
  look: Look,
  { deep, now }: CheckOptions,
): Promise<readonly Finding[]> {
  if (item.kind === 'segment') return findings;
  const { key } = item.object;
  for (const finding of findings) if (finding.kind === 'damaged') await look.withhold(finding.key, now());
  if (findings.some(({ kind }) => kind !== 'altered') || !(await look.isWithheld(key))) return findings;
  if (deep) {
    await look.release(key);
    await forgetFinding(client, key);
    return findings;
  }
  const { size, fileId: file_id, packageId: package_id } = item.object;
  return [
    { kind: 'damaged', key, path: look.pathOf(key), size, ...(file_id !== '' && { file_id, package_id }), detail: 'found by a deep check' },
  ];
}

async function repairedOrphans(
  client: pg.Client,
  findings: readonly Finding[],
  { repair, now, storage }: CheckOptions,
): Promise<readonly Finding[]> {
  const orphans = findings.filter(({ kind }) => kind === 'orphan');
  if (!repair || orphans.length === 0) return findings;
  await storage.free(client, orphans, now());
  return findings.map((finding) => (finding.kind === 'orphan' ? { ...finding, repaired: true } : finding));
}

async function repairedCounts(client: pg.Client, findings: readonly Finding[], { repair, now }: CheckOptions): Promise<readonly Finding[]> {
  if (!repair) return findings;
  await recountSegments(
    client,
    findings.map(({ key }) => key),
    now(),
  );
  return findings.map((finding) => ({ ...finding, repaired: true }));
}
