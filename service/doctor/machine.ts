import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { restoringFileName, secretFileName } from '../data-folder.ts';
import { readFolderIntegrity } from '../integrity/folder-journal.ts';
import { type Diagnosis, type DoctorOptions, fail, ok, warn } from './diagnosis.ts';
import { failed } from './failures.ts';

/** The data folder, its key, its disks, and what checks of stored bytes have found. */
export async function lookAtMachine({ dataDir, storageUrl }: DoctorOptions): Promise<Diagnosis[]> {
  const folder = await lookAtFolder(dataDir);
  if (folder.status === 'fail' || (await kindOf(dataDir)) === 'absent') return [folder];
  return [
    folder,
    ...(await lookAtSecret(dataDir)),
    await lookAtDisk('data disk', dataDir),
    ...(storageUrl === undefined ? await lookAtObjects(dataDir) : []),
  ];
}

const kindOf = (path: string): Promise<'folder' | 'other' | 'absent'> =>
  stat(path).then(
    (found) => (found.isDirectory() ? 'folder' : 'other'),
    () => 'absent',
  );

async function lookAtFolder(dataDir: string): Promise<Diagnosis> {
  const about = 'data folder';
  const kind = await kindOf(dataDir);
  if (kind === 'other') return fail(about, `${dataDir} is no folder.`, 'Name another one (--data-dir).');
  let existing = dataDir;
  while ((await kindOf(existing)) === 'absent' && existing !== dirname(existing)) existing = dirname(existing);
  try {
    await access(existing, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    return failed(about, `${existing} cannot be written`, error, "Run this as the service's user, or change the folder's owner.");
  }
  if (kind === 'absent')
    return warn(about, `There is no service in ${dataDir} yet.`, 'Start the service once, or name its folder (--data-dir).');
  if ((await kindOf(join(dataDir, restoringFileName))) !== 'absent')
    return fail(
      about,
      `A backup is not restored into ${dataDir} to its end.`,
      'Run `longshore admin restore` again, which goes on where it stopped.',
    );
  return ok(about, `${dataDir} can be written.`);
}

async function lookAtSecret(dataDir: string): Promise<Diagnosis[]> {
  const file = join(dataDir, secretFileName);
  const found = await stat(file).catch(() => null);
  if (!found) return [];
  if (process.platform === 'win32' || (found.mode & 0o077) === 0) return [ok('key', `${secretFileName} is for the service's user alone.`)];
  return [
    fail('key', `Other users of this machine may read ${file}.`, `chmod 600 ${file}; who may have read it can make tokens and links.`),
  ];
}

async function lookAtDisk(about: string, folder: string): Promise<Diagnosis> {
  const { blocks, bavail, bsize } = await statfs(folder);
  const share = bavail / blocks;
  const seen = `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} % of the disk with ${folder} are free (${Math.floor((bavail * bsize) / 1e9)} GB).`;
  const action = 'Make room, enlarge it, or limit what Teams store (`longshore admin quota`): uploads are refused once it is full.';
  if (share < 0.02) return fail(about, seen, action);
  return share < 0.1 ? warn(about, seen, action) : ok(about, seen);
}

async function lookAtObjects(dataDir: string): Promise<Diagnosis[]> {
  const folder = join(dataDir, 'objects');
  if ((await kindOf(folder)) !== 'folder') return [];
  const { last, counts } = await readFolderIntegrity(dataDir);
  const bad = (counts.missing ?? 0) + (counts.damaged ?? 0);
  const about = 'stored bytes';
  return [
    await lookAtDisk('objects disk', folder),
    bad > 0
      ? fail(
          about,
          `${bad} stored files are missing or damaged.`,
          '`longshore admin check --deep` names them: put them back from a backup, and look at the disk.',
        )
      : last
        ? ok(about, `Every byte was read last at ${last.ended_at}, and all was as it should be.`)
        : ok(about, 'The nightly check has not been through yet.'),
  ];
}
