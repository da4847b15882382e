import { lstatOrThrow } from '#filesystem/system-error.ts';
import { systemCode, wordsOf } from '../../../errors.ts';
import { openForWriting } from '../../../folders/open-for-writing.ts';
import { type FileStamp, sameStamp, stampOf } from '../../../io/file-stamp.ts';
import { maxOpenLargeFiles } from '../../concurrency/limits.ts';
import type { JobContext, JobPorts } from '../../job.ts';
import type { FileRecord, UploadRecord } from '../../record.ts';
import { createFileSupply, type FileSupply } from '../file-supply.ts';
import { isDiskThere, leaveOut, uncount } from '../left-out.ts';
import type { Receiver } from '../send-file.ts';
import { createGrowingSender } from './growing-sender.ts';
import { type GrowingStep, growingStep } from './growing-step.ts';

/** Milliseconds between two looks at files that are being written to. */
const lookMs = 1_000;
/** Between two looks whether another program has a still file open for writing. */
const openFilesEveryMs = 5_000;
const rowsPerPage = 1_000;
/** Files looked at before the event loop gets a turn. */
const slice = 128;

/** What this run has seen of a file. */
interface Seen {
  stamp: FileStamp | null;
  /** Since when it is like that; of a clock that only goes forward. */
  since: number;
  /** Another program has it open for writing: it is not taken for still before. */
  openUntil: number;
  /** Number of the turn in which it was last worked on. */
  turn: number;
  /** Chunks that are noted; `null` before they are read. */
  sentChunks: number | null;
}

type Work = Extract<GrowingStep, { readonly do: 'send' | 'settle' | 'leave_out' }>;

/**
 * The files of an upload that are still being written to (docs/decisions/0059). Looks at them every second, sends the
 * chunks that are whole, and makes a file that is still an ordinary one, which is sent and finalized like every other.
 * Runs as long as there are such files, or the automation may add some.
 *
 * @param elapsed milliseconds of a clock that only goes forward, so that setting the machine's makes no file still
 */
export function createGrowingFiles(
  ports: JobPorts,
  id: string,
  to: Receiver,
  context: JobContext,
  elapsed: () => number = () => performance.now(),
): FileSupply {
  const { store, registry, fileSystem, log } = ports;
  const { activity } = context;
  const record = (): UploadRecord => {
    const found = registry.get(id);
    if (found.kind !== 'upload') throw new Error(`The transfer ${id} is no upload.`);
    return found;
  };
  const idle = record().request.growing?.idleMs ?? 0;
  const [folder = ''] = record().request.paths;

  const growing = (): FileRecord[] => {
    const rows: FileRecord[] = [];
    for (;;) {
      const page = store.files.growing(id, rows.at(-1)?.id ?? 0, rowsPerPage);
      rows.push(...page);
      if (page.length < rowsPerPage) return rows;
    }
  };
  const isDue = (): boolean => record().facts.collecting === true || store.files.growing(id, 0, 1).length > 0;

  const stampNow = (path: string): FileStamp | null => {
    try {
      const found = lstatOrThrow(fileSystem, path);
      return found.isFile() ? stampOf(found) : null;
    } catch (error) {
      if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return null;
      throw error;
    }
  };

  const resized = (row: FileRecord, size: number): FileRecord => {
    if (size === row.size) return row;
    store.writer.write(() => {
      store.files.grew(row.id, size);
      registry.addTotals(id, { bytes: size - row.size, files: 0 });
    });
    return { ...row, size };
  };

  const restartFile = (row: FileRecord, stamp: FileStamp, why: string): void => {
    log.info({ transfer: id, file: row.id, why }, 'a file that is being written to is sent again from its beginning');
    uncount(store, activity, row, () => {
      store.files.restamped(row.id, stamp);
      registry.addTotals(id, { bytes: stamp.size - row.size, files: 0 });
    });
  };

  const watch = async (tell: () => void, signal: AbortSignal): Promise<void> => {
    const stop = new AbortController();
    const own = AbortSignal.any([signal, stop.signal]);
    const sender = createGrowingSender(ports, record, to, { ...context, signal: own });
    const seen = new Map<number, Seen>();
    const busy = new Map<number, Promise<void>>();
    let failure: { readonly error: unknown } | null = null;
    let turns = 0;
    let changed = Promise.withResolvers<void>();
    let obstacle = '';

    const run = (row: FileRecord, known: Seen, work: Work): void => {
      known.turn = ++turns;
      const running = (
        work.do === 'send'
          ? sender.send(row, { ...known.stamp!, size: work.until }, work.chunkSize)
          : work.do === 'settle'
            ? sender.settle(row, work.stamp)
            : leaveOut(ports, { record: record(), api: to.api }, row, 'it went away while it was being written.', {
                ...context,
                signal: own,
              })
      )
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => {
          busy.delete(row.id);
          known.sentChunks = null;
          changed.resolve();
        });
      busy.set(row.id, running);
    };

    const observe = (row: FileRecord): Seen => {
      const stamp = stampNow(row.local);
      const known = seen.get(row.id);
      const isSame = known && (stamp && known.stamp ? sameStamp(known.stamp, stamp) : stamp === known.stamp);
      if (known && isSame) return known;
      const now: Seen = { turn: 0, sentChunks: null, ...known, stamp, since: elapsed(), openUntil: 0 };
      seen.set(row.id, now);
      return now;
    };

    const stepFor = (row: FileRecord, known: Seen): GrowingStep => {
      known.sentChunks ??= row.remote.state === 'open' ? Math.max(-1, ...store.files.chunks(row.id).keys()) + 1 : 0;
      const unchangedFor = elapsed() < known.openUntil ? 0 : elapsed() - known.since;
      const chunkSize = row.remote.state === 'open' && row.remote.unknownSize ? row.remote.chunkSize : null;
      return growingStep(
        { before: row, now: known.stamp, unchangedFor, sentChunks: known.sentChunks, chunkSize },
        { idle, maxChunkSize: to.maxChunkSize },
      );
    };

    /** Looks at all of them once. */
    const look = async (rows: readonly FileRecord[]): Promise<void> => {
      const found: { readonly row: FileRecord; readonly known: Seen; readonly work: Work }[] = [];
      obstacle = '';
      for (const [index, row] of rows.entries()) {
        if (index % slice === slice - 1) await new Promise((resume) => setImmediate(resume));
        if (busy.has(row.id)) continue;
        try {
          const known = observe(row);
          const step = stepFor(row, known);
          if (step.do === 'restart') {
            restartFile(row, step.stamp, step.why);
            known.sentChunks = null;
            continue;
          }
          const current = known.stamp ? resized(row, known.stamp.size) : row;
          if (step.do !== 'wait') found.push({ row: current, known, work: step });
        } catch (error) {
          if (systemCode(error) === undefined) throw error;
          obstacle = `${row.local} cannot be looked at: ${wordsOf(error)}`;
        }
      }
      const open = await openForWriting(new Set(found.flatMap(({ row, work }) => (work.do === 'settle' ? [row.local] : []))), {
        fileSystem,
      });
      own.throwIfAborted();
      for (const { row, known, work } of found.toSorted((a, b) => a.known.turn - b.known.turn)) {
        if (work.do === 'settle' && open.has(row.local)) {
          known.openUntil = elapsed() + openFilesEveryMs;
          changed.resolve();
        } else if (work.do === 'settle' && row.remote.state !== 'open') sender.accept(row, work.stamp);
        else if (work.do === 'leave_out' && !isDiskThere(fileSystem, folder, row)) {
          obstacle = `${row.local} is not there, nor its disk. It goes on once that is back.`;
        } else if (busy.size < maxOpenLargeFiles) run(row, known, work);
      }
    };

    const waitingFor = (rows: readonly FileRecord[]): string => {
      if (obstacle !== '') return obstacle;
      const [first] = rows;
      if (!first) return 'All of it is sent. More may come into its folder before it is finalized.';
      return rows.length === 1
        ? `${first.name} is sent while it is being written.`
        : `${first.name} and ${rows.length - 1} more are sent while they are being written.`;
    };

    const end = activity.begin();
    try {
      for (;;) {
        signal.throwIfAborted();
        if (failure) throw (failure as { readonly error: unknown }).error;
        changed = Promise.withResolvers<void>();
        const rows = growing();
        if (rows.length === 0 && busy.size === 0 && !record().facts.collecting) return;
        const ids = new Set(rows.map((row) => row.id));
        for (const one of seen.keys()) if (!ids.has(one)) seen.delete(one);
        await look(rows);
        if (store.files.pending(id, 0, 1).length > 0) tell();
        const awake = activity.wait({ reason: waitingFor(growing()), until: null });
        try {
          const slept = context.sleep(lookMs, signal);
          slept.catch(() => {});
          await Promise.race([slept, changed.promise]);
        } finally {
          awake();
        }
      }
    } finally {
      stop.abort();
      await Promise.all(busy.values());
      end();
    }
  };

  return createFileSupply({
    ascending: false,
    isDue,
    work: (tell, closing) => watch(tell, AbortSignal.any([context.signal, closing])),
  });
}
