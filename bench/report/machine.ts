import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { arch, cpus, release, totalmem } from 'node:os';
import { readVersion } from '#main/version.ts';
import { type Programs, versionOf } from '../peers/programs.ts';

/** The machine of the measurement, without anything that identifies its owner. */
export interface Machine {
  readonly date: string;
  readonly hardware: string;
  readonly system: string;
  readonly versions: readonly string[];
  /** Processes that wanted to run, on average over the minute before. */
  readonly loadBefore: number;
}

export function machineFacts(programs: Programs, loadBefore: number): Machine {
  const [first] = cpus();
  const named = (name: string, program: keyof Programs): string[] => {
    const path = programs[program];
    return path === null ? [] : [`${name} ${versionOf(program, path)}`];
  };
  return {
    date: new Date().toISOString().slice(0, 10),
    hardware: `${cpus().length} cores (${first?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, ${arch()}`,
    system: `${distribution()}, Linux ${/^\d+\.\d+/.exec(release())?.[0] ?? release()}`,
    versions: [
      `Longshore ${readVersion()}${commit()}`,
      `Node ${process.versions.node}`,
      ...named('curl', 'curl'),
      ...named('nginx', 'nginx'),
      ...named('rclone', 'rclone'),
      ...named('AWS CLI', 'aws'),
      `s3rver ${s3rverVersion()}`,
    ],
    loadBefore,
  };
}

function distribution(): string {
  try {
    return /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'Linux';
  } catch {
    return 'Linux';
  }
}

/** The commit, and whether there were changes besides; nothing outside a checkout. */
function commit(): string {
  const git = (...args: string[]): string | null => {
    const { status, stdout } = spawnSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' });
    return status === 0 ? stdout.trim() : null;
  };
  const head = git('rev-parse', '--short=10', 'HEAD');
  if (head === null) return '';
  return git('status', '--porcelain', '--untracked-files=no') === '' ? ` (${head})` : ` (${head} with changes)`;
}

function s3rverVersion(): string {
  const file = new URL('../../node_modules/s3rver/package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
