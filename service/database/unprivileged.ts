import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { StartError } from '../start-error.ts';

const run = promisify(execFile);

/**
 * How PostgreSQL, which refuses to run as root, is started here. `as-is`: as this ordinary user. `uid`: as another,
 * unprivileged user. `unshare`: in a user namespace where this root has an ordinary uid, so that it can still access
 * what only root can (a home folder of mode 0700).
 */
export type Runner =
  | { readonly how: 'as-is' }
  | { readonly how: 'uid'; readonly uid: number; readonly gid: number }
  | { readonly how: 'unshare'; readonly uid: number; readonly gid: number };

/** Command and spawn options that start a program with a runner. */
export function commandFor(
  runner: Runner,
  program: string,
  args: readonly string[],
): { readonly program: string; readonly args: readonly string[]; readonly as: { readonly uid?: number; readonly gid?: number } } {
  switch (runner.how) {
    case 'as-is':
      return { program, args, as: {} };
    case 'uid':
      return { program, args, as: { uid: runner.uid, gid: runner.gid } };
    case 'unshare':
      return {
        program: 'unshare',
        args: ['--user', `--map-user=${runner.uid}`, `--map-group=${runner.gid}`, '--', program, ...args],
        as: {},
      };
  }
}

/** Finds a user in the text of /etc/passwd: `postgres`, or `nobody` if there is none. */
export function powerlessUser(passwd: string): { readonly uid: number; readonly gid: number } {
  for (const name of ['postgres', 'nobody']) {
    const fields = passwd
      .split('\n')
      .find((line) => line.startsWith(`${name}:`))
      ?.split(':');
    const [uid, gid] = [Number(fields?.[2]), Number(fields?.[3])];
    if (uid > 0 && gid > 0) return { uid, gid };
  }
  return { uid: 65_534, gid: 65_534 };
}

/** Whether a user can pass through every folder above `path` (not `path` itself). */
async function canReach(path: string, user: { readonly uid: number; readonly gid: number }): Promise<boolean> {
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    const { mode, uid, gid } = await stat(folder);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

const succeeds = (runner: Runner, program: string): Promise<boolean> => {
  const command = commandFor(runner, program, ['--version']);
  return run(command.program, [...command.args], { ...command.as, cwd: '/' }).then(
    () => true,
    () => false,
  );
};

/**
 * Chooses how to run the PostgreSQL binary over a data folder (which need not exist; its parent must). An existing
 * folder keeps its owner. Errors: `StartError` if root has no way to run it.
 */
export async function chooseRunner(dataFolder: string, binary: string): Promise<Runner> {
  if (process.getuid?.() !== 0) return { how: 'as-is' };
  const owner = await stat(dataFolder).catch(() => null);
  const user = powerlessUser(await readFile('/etc/passwd', 'utf8').catch(() => ''));
  if (owner?.uid !== 0) {
    const as = owner ? { uid: owner.uid, gid: owner.gid } : user;
    const runner: Runner = { how: 'uid', ...as };
    if ((await canReach(dataFolder, as)) && (await succeeds(runner, binary))) return runner;
  }
  if (owner === null || owner.uid === 0) {
    const runner: Runner = { how: 'unshare', ...user };
    if (await succeeds(runner, binary)) return runner;
  }
  throw new StartError(
    'database_cannot_start',
    `PostgreSQL refuses to run as root, and no other way works for ${dataFolder}: user ${user.uid} cannot reach it or the program, ` +
      'and user namespaces (unshare) are not available. Start the service as an ordinary user, put the project and the data folder ' +
      'where everyone may pass (e.g. /opt and /var/lib), or use your own PostgreSQL by DATABASE_URL.',
  );
}
