import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Real mounts of this machine, for tests that need them. */

/** Why this machine cannot mount; empty if it can. */
function whyNoMounts(): string {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'mounting needs root on Linux';
  try {
    execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' });
    return '';
  } catch {
    return 'this machine allows no mounts';
  }
}

const isThere = (program: string): boolean => {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

export const noMounts = whyNoMounts();
export const noFuse =
  noMounts || (existsSync('/dev/fuse') && isThere('rclone') && isThere('fusermount3') ? '' : 'rclone, fuse3 or /dev/fuse is missing');

export const mount = (...args: readonly string[]): void => void execFileSync('mount', [...args]);

/** Also while it is used; nothing where nothing is mounted. */
export function unmount(path: string): void {
  try {
    execFileSync('umount', ['-l', path], { stdio: 'ignore' });
  } catch {
    // The test has done it.
  }
}

export const isMounted = (path: string): boolean => execFileSync('cat', ['/proc/self/mounts'], { encoding: 'utf8' }).includes(` ${path} `);

/** A file system of a process: it hangs by SIGSTOP, and is gone by SIGKILL. */
export interface FuseMount {
  readonly pid: number;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Ends it, and unmounts. */
  end(): void;
}

/** Shows the folder `disk` at `path`. It is mounted a moment later (`isMounted`). It gives no file a second name. */
export function fuseMount(disk: string, path: string, cacheDir: string): FuseMount {
  const rclone = spawn(
    'rclone',
    ['mount', disk, path, '--vfs-cache-mode', 'writes', '--cache-dir', cacheDir, '--dir-cache-time', '1s', '--vfs-write-back', '1s'],
    {
      stdio: 'ignore',
    },
  );
  return {
    pid: rclone.pid ?? 0,
    kill: (signal) => void rclone.kill(signal),
    end() {
      rclone.kill('SIGCONT');
      unmount(path);
      rclone.kill('SIGKILL');
    },
  };
}
