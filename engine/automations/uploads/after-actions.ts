import { dirname, join } from 'node:path';
import type { FileSystem } from '#filesystem/port.ts';
import { systemCode } from '../../errors.ts';
import type { PathGuard } from '../../folders/path-guard.ts';
import { pathTrouble } from '../../folders/scan.ts';
import { untilDiskAnswers } from '../../folders/until-disk-answers.ts';
import type { Store } from '../../state/store.ts';
import type { LedgerRow, UploadAutomation } from '../record.ts';
import { deleteSent, freeTarget, moveSent, type SentFile } from './move-file.ts';
import { createRecognition, hasOtherInode, type Recognised, type RecognitionPorts } from './recognition.ts';
import { identityOf } from './scan-folder.ts';

export interface AfterPorts extends RecognitionPorts {
  readonly store: Store;
  readonly pathGuard: PathGuard;
  readonly now: () => number;
}

const rowsPerPage = 200;

/**
 * Moves or deletes what was sent, finalized and confirmed by its receipt. What is being done is noted before it is done,
 * so that it goes on after a crash. A file that its disk knows by another inode now is compared by its content; where it
 * is not what was sent, or that cannot be told, it stays, and ledger and history say so.
 *
 * @returns what stands in the way, in words; empty if nothing does
 */
export async function afterActions(ports: AfterPorts, record: UploadAutomation, folder: string, signal: AbortSignal): Promise<string> {
  const { after, move_to: moveTo } = record.fields;
  if (after === 'keep' || (after === 'move' && moveTo === undefined)) return '';
  const { ledger } = ports.store.automations;
  const recognise = createRecognition(ports);
  const stays: { readonly path: string; readonly message: string }[] = [];
  const act = (row: LedgerRow): Promise<Outcome> =>
    after === 'delete' ? remove(ports, record, folder, row) : move(ports, record, { folder, moveTo: moveTo! }, row, signal);

  const actOnSame = async (row: LedgerRow): Promise<void> => {
    if ((await act(row)) === 'done') return;
    const path = join(folder, row.key);
    const found = ports.fileSystem.lstatNow(path);
    // Another version: the next scan finds it.
    if (!hasOtherInode(found, row)) return;
    const recognised = await recognise(path, row, signal);
    if (recognised === 'same') {
      const identity = identityOf(found);
      await note(ports, row, { identity });
      await act({ ...row, identity });
      return;
    }
    const message = whyItStays[recognised];
    await note(ports, row, { message });
    stays.push({ path: row.path, message });
  };

  try {
    const mayHang: string[] = [];
    for (const path of after === 'move' ? [folder, moveTo!] : [folder]) {
      if (!(await untilDiskAnswers(path, ports.fileSystem))) mayHang.push(path);
    }
    for (let afterId = 0; ; ) {
      const rows = ledger.inState(record.id, 'sent', afterId, rowsPerPage);
      if (rows.length === 0) return '';
      afterId = rows.at(-1)!.id;
      for (const row of rows) {
        signal.throwIfAborted();
        if (row.message !== '' || row.at < (record.facts.afterSince ?? 0)) continue;
        try {
          for (const disk of mayHang) await untilDiskAnswers(disk, ports.fileSystem);
          signal.throwIfAborted();
          await actOnSame(row);
        } catch (cause) {
          signal.throwIfAborted();
          return `${row.path} cannot be ${after === 'delete' ? 'deleted' : `moved to ${moveTo}`}: ${troubleOf(cause)}.`;
        }
      }
      await new Promise((resume) => setImmediate(resume));
    }
  } finally {
    tellWhatStays(ports, record, stays);
  }
}

/** `changed`: what is there is not the file that was sent, as its size, time and inode tell. */
type Outcome = 'done' | 'changed';

const whyItStays: Readonly<Record<Exclude<Recognised, 'same'>, string>> = {
  other: 'It is not what was sent, though its size and time are the same, so it stays where it is.',
  unknown:
    'Its disk has another identity for it than when it was sent, and there is nothing left to compare it with, so it stays where it is.',
};

function tellWhatStays(
  { store, now }: AfterPorts,
  { id }: UploadAutomation,
  [first, ...others]: readonly { readonly path: string; readonly message: string }[],
): void {
  if (!first) return;
  const message = others.length === 0 ? first.message : `${first.message} So do ${others.length} more.`;
  store.writer.write(() => store.automations.results.add(id, { at: now(), kind: 'skipped', name: first.path, transferId: '', message }));
}

const full = new Set(['ENOSPC', 'EDQUOT']);
const troubleOf = (cause: unknown): string => (full.has(systemCode(cause)) ? 'the disk is full' : pathTrouble(cause));

const sentFileOf = ({ size, modifiedAt, identity }: LedgerRow): SentFile => ({
  size,
  mtimeMs: modifiedAt,
  ino: identity.split(':')[0] ?? '',
});

async function remove(ports: AfterPorts, record: UploadAutomation, folder: string, row: LedgerRow): Promise<Outcome> {
  const path = join(folder, row.key);
  if (record.restricted) ports.pathGuard(dirname(path));
  const done = deleteSent(path, sentFileOf(row), ports.fileSystem);
  if (done === 'changed') return 'changed';
  // Before it is noted, and where it was gone: a crash may have come right after the file went.
  removeEmptied(ports.fileSystem, dirname(path), folder);
  await note(ports, row, { state: 'deleted', message: done === 'gone' ? 'It was gone already.' : '' });
  return 'done';
}

async function move(
  ports: AfterPorts,
  record: UploadAutomation,
  { folder, moveTo }: { readonly folder: string; readonly moveTo: string },
  row: LedgerRow,
  signal: AbortSignal,
): Promise<Outcome> {
  const { fileSystem } = ports;
  const from = join(folder, row.key);
  if (record.restricted) {
    ports.pathGuard(dirname(from));
    ports.pathGuard(moveTo);
  }
  for (let target = row.target; ; ) {
    if (target === '') {
      target = freeTarget(join(moveTo, row.key), fileSystem);
      // Noted before anything moves: after a crash it is known where the file may be.
      await note(ports, row, { target });
    }
    try {
      const done = await moveSent(from, target, sentFileOf(row), fileSystem, signal);
      if (done === 'changed') return 'changed';
      if (done === 'moved') removeEmptied(fileSystem, dirname(from), folder);
      await note(ports, row, { state: 'moved', target, message: done === 'gone' ? 'It was gone already.' : '' });
      return 'done';
    } catch (cause) {
      // Somebody took the name meanwhile.
      if (systemCode(cause) !== 'EEXIST') throw cause;
      target = '';
    }
  }
}

async function note({ store, now }: AfterPorts, { id }: LedgerRow, change: Partial<LedgerRow>): Promise<void> {
  store.writer.write(() => store.automations.ledger.change(id, { ...change, ...(change.state ? { at: now() } : {}) }));
  await store.writer.committed();
}

/** Removes folders that have become empty, up to the watched one. */
function removeEmptied(fileSystem: FileSystem, from: string, watched: string): void {
  for (let at = from; at !== watched && at.startsWith(watched); at = dirname(at)) {
    try {
      fileSystem.rmdir(at);
    } catch (cause) {
      // One that is gone already, as after a crash, may leave the one above it empty.
      if (systemCode(cause) !== 'ENOENT') return;
    }
  }
}
