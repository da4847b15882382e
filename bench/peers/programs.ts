import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Finds the peers' programs; brings missing ones from Debian where this user may. */

export const programs = ['time', 'curl', 'nginx', 'rclone', 'aws'] as const;
export type Program = (typeof programs)[number];
export type Programs = Readonly<Record<Program, string | null>>;

const packages: Readonly<Record<Program, string>> = { time: 'time', curl: 'curl', nginx: 'nginx', rclone: 'rclone', aws: 'awscli' };

export function findPrograms(env: NodeJS.ProcessEnv = process.env): Programs {
  return Object.fromEntries(programs.map((program) => [program, find(program, env)])) as Record<Program, string | null>;
}

function find(program: string, env: NodeJS.ProcessEnv): string | null {
  const folders = [...(env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  const found = folders.map((folder) => join(folder, program)).find(isExecutable);
  if (found === undefined) return null;
  // A pyenv shim is a script that looks for the program at every start: its time is not the program's.
  if (!found.includes('/shims/')) return found;
  const real = spawnSync('pyenv', ['which', program], { encoding: 'utf8' });
  return real.status === 0 ? real.stdout.trim() : found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Installs what is missing from Debian's packages, when this is root on Debian or its kin. nginx is only unpacked into
 * the folder: its package would start a web server on this machine.
 *
 * @returns what is there afterwards
 */
export function bringPrograms(found: Programs, folder: string, say: (text: string) => void): Programs {
  const missing = programs.filter((program) => found[program] === null);
  if (missing.length === 0 || process.getuid?.() !== 0 || !isExecutable('/usr/bin/apt-get')) return found;
  say(`Bringing what is missing from Debian: ${missing.join(', ')}.`);
  apt(['update', '-qq']);
  const installed = missing.filter((program) => program !== 'nginx');
  if (installed.length > 0) apt(['install', '-y', '-qq', '--no-install-recommends', ...installed.map((program) => packages[program])]);
  const now = findPrograms();
  return missing.includes('nginx') ? { ...now, nginx: unpackNginx(folder) } : now;
}

/** Failing is no error: what is still missing afterwards is said in the table. */
function apt(args: readonly string[], cwd?: string): boolean {
  const { status } = spawnSync('apt-get', args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    cwd,
  });
  return status === 0;
}

function unpackNginx(folder: string): string | null {
  const into = join(folder, 'nginx-package');
  mkdirSync(into);
  if (!apt(['download', '-qq', packages.nginx], into)) return null;
  const archive = readdirSync(into).find((name) => name.endsWith('.deb'));
  if (archive === undefined || spawnSync('dpkg-deb', ['-x', archive, 'files'], { cwd: into }).status !== 0) return null;
  const program = join(into, 'files/usr/sbin/nginx');
  return isExecutable(program) && spawnSync(program, ['-v']).status === 0 ? program : null;
}

/** What is not there, as a sentence; `null` when all are. */
export function whyAbsent(found: Programs, needed: readonly Program[]): string | null {
  const missing = needed.filter((program) => found[program] === null);
  if (missing.length === 0) return null;
  return `not measured: ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not installed`;
}

/** A program's own word for its version, for the table. */
export function versionOf(program: Program, path: string): string {
  const asks: Readonly<Record<Program, readonly string[]>> = {
    time: ['--version'],
    curl: ['--version'],
    nginx: ['-v'],
    rclone: ['version'],
    aws: ['--version'],
  };
  const { stdout, stderr } = spawnSync(path, asks[program], { encoding: 'utf8' });
  return /\d+(?:\.\d+)+/.exec(`${stdout}${stderr}`)?.[0] ?? 'of unknown version';
}
