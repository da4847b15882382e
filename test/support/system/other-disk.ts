import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A folder on another disk than that of tests. */
export interface OtherDisk {
  readonly path: string;
  /** Makes it as large as this. Only where it was mounted with a size. */
  resize(size: string): void;
  remove(): void;
}

/** A disk in memory below `parent`, of a size as `mount` takes it (`4m`); `null` where this process may not mount one. */
export function mountDisk(parent: string, size: string): OtherDisk | null {
  const path = join(parent, `disk-${Math.random().toString(36).slice(2)}`);
  mkdirSync(path);
  try {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) return null;
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    return null;
  }
  return {
    path,
    resize: (next) => void execFileSync('mount', ['-o', `remount,size=${next}`, path]),
    remove: () => void execFileSync('umount', ['-l', path]),
  };
}

/** One that is mounted, else Linux's disk in memory; `null` where there is neither. */
export function otherDisk(parent: string): OtherDisk | null {
  const mounted = mountDisk(parent, '512m');
  if (mounted) return mounted;
  const shared = '/dev/shm';
  try {
    if (statSync(shared).dev === statSync(parent).dev) return null;
    const path = mkdtempSync(join(shared, 'longshore-test-'));
    return { path, resize: () => undefined, remove: () => rmSync(path, { recursive: true, force: true }) };
  } catch {
    return null;
  }
}
