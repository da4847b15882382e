import { join } from 'node:path';
import { openFlags } from '#filesystem/flags.ts';
import { readFully, writeFully } from '#filesystem/fully.ts';
import type { FileSystem } from '#filesystem/port.ts';
import type { ConnectionCheck } from '#protocol/hosted/connections.ts';
import { systemCode, wordsOf } from '../../errors.ts';
import { browse } from './browse.ts';
import { wordsFor } from './disk-words.ts';
import type { Check, MountState } from './messages.ts';
import { type ProbedMount, probe, scratchName } from './probe.ts';

export type CheckStep = ConnectionCheck['steps'][number];

/**
 * Does in the mount what transfers do: lists the folders, and with `write` writes a small file into the root, reads it
 * back and removes it.
 */
export async function checkMount(
  mount: ProbedMount,
  { folders, write }: Check,
  {
    unique,
    fileSystem,
    tell,
  }: {
    /** Of the file's name. */
    readonly unique: string;
    readonly fileSystem: FileSystem;
    /** Hears of each step as it ends. */
    readonly tell: (step: CheckStep) => void;
  },
): Promise<CheckStep[]> {
  const { mountId, root, readOnly } = mount;
  const steps: CheckStep[] = [];
  const ends = (step: CheckStep): void => {
    steps.push(step);
    tell(step);
  };
  const content = Buffer.from(`checked ${unique}\n`);
  const path = join(root, scratchName(mountId, unique));
  const step = async (named: CheckStep['step'], work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
      ends({ step: named, ok: true, message: '' });
      return true;
    } catch (cause) {
      ends({ step: named, ok: false, message: systemCode(cause) === '' ? wordsOf(cause) : wordsFor(root, cause) });
      return false;
    }
  };
  const written =
    write &&
    (await step('put', async () => {
      if (readOnly) throw new Error('This mount is read-only by its setting: files are collected from it, and none delivered.');
      orThrow(probe(mount, fileSystem, false));
      const file = await fileSystem.open(path, openFlags.create);
      try {
        await writeFully(file, [content], 0);
        await file.flush();
      } finally {
        await file.close();
      }
    }));
  await step('list', async () => {
    orThrow(probe(mount, fileSystem, false));
    for (const folder of folders) await browse(root, { prefix: folder, prevKey: '', count: 1 }, fileSystem);
  });
  if (!written) return steps;
  await step('get', async () => {
    const file = await fileSystem.open(path, openFlags.readOwn);
    try {
      const back = Buffer.alloc(content.length + 1);
      const length = await readFully(file, back, back.length, 0);
      if (!back.subarray(0, length).equals(content)) throw new Error('Other bytes were read than written. Check the disk.');
    } finally {
      await file.close();
    }
  });
  await step('delete', () => fileSystem.remove(path));
  return steps;
}

function orThrow(state: MountState): void {
  if (state.state === 'offline') throw new Error(state.reason);
}
