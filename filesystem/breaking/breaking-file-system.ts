import { join } from 'node:path';
import { nodeFileSystem } from '../node-file-system.ts';
import type { DiskSpace, FileStats, FileSystem, OpenDirectory, OpenFile, Watch, WatchOptions } from '../port.ts';
import { systemError } from '../system-error.ts';
import { BreakingDirectory, BreakingFile, type FileFaults } from './breaking-file.ts';
import { foldedPath } from './case-folding.ts';
import { type Call, FaultPlan, isAtOrBelow, type PassingClock } from './fault-plan.ts';
import { LimitedSpace } from './limited-space.ts';

export interface BreakingOptions {
  /** What it stands on; by default the real disks. */
  readonly over?: FileSystem;
  /** `A` is found as `a`, and composed letters as decomposed ones. */
  readonly foldsCase?: boolean;
  /** Whose time passes in slow calls. */
  readonly clock?: PassingClock;
}

const noClock: PassingClock = {
  pass() {
    throw new Error('A slow disk needs a clock.');
  },
};

/** Where a call goes: `shown` is the path that faults know, `real` the one below. */
interface Target {
  readonly shown: string;
  readonly real: string;
}

/**
 * Real files, with faults for tests: by plan (`faults`), a full disk (`space…`), a folder that vanishes or whose drive
 * goes, and a disk that folds case. Without any of these it does what the file system below does. `watch` and `isLocal`
 * never fail.
 */
export class BreakingFileSystem implements FileSystem {
  readonly faults: FaultPlan;
  readonly limitedSpace = new LimitedSpace();
  readonly #over: FileSystem;
  readonly #foldsCase: boolean;
  /** Folders that are not there, and what is at their path instead: an empty mount point, or nothing. */
  readonly #gone = new Map<string, string | null>();
  /** Folders whose drives went, each time. */
  readonly #departures: string[] = [];
  /** Paths of open files, by descriptor. */
  readonly #open = new Map<number, string>();

  constructor({ over = nodeFileSystem, foldsCase = false, clock = noClock }: BreakingOptions = {}) {
    this.#over = over;
    this.#foldsCase = foldsCase;
    this.faults = new FaultPlan(clock);
  }

  /** From now on nothing is at this path; files that are open stay so. */
  vanish(folder: string): void {
    this.#gone.set(folder, null);
  }

  /**
   * The drive of a folder goes: an empty folder is at its path from now on (`mountPoint`, which the test has made), and
   * every call on open files below fails with `EIO`, also when the drive is back: what was opened before stays lost.
   */
  unmount(folder: string, mountPoint: string): void {
    this.#gone.set(folder, mountPoint);
    this.#departures.push(folder);
  }

  /** What vanished or was unmounted is there again. */
  comeBack(folder: string): void {
    this.#gone.delete(folder);
  }

  /** Descriptors that are open: none is left by code that closes what it opens. */
  get openFiles(): readonly string[] {
    return [...this.#open.values()];
  }

  async open(path: string, flags: number, mode?: number): Promise<OpenFile> {
    await this.faults.meet('open', this.#shown(path));
    const { shown, real } = this.#target('open', path);
    return this.#opened(await this.#over.open(real, flags, mode), shown);
  }

  openNow(path: string, flags: number, mode?: number): OpenFile {
    const { shown, real } = this.#meetNow('open', path);
    return this.#opened(this.#over.openNow(real, flags, mode), shown);
  }

  #opened(file: OpenFile, shown: string): OpenFile {
    const { descriptor } = file;
    this.#open.set(descriptor, shown);
    return new BreakingFile(file, { ...this.#faultsOf(shown), closed: () => void this.#open.delete(descriptor) }, this.limitedSpace);
  }

  stat(path: string): FileStats | null {
    return this.#ifThere('stat', path, (real) => this.#over.stat(real));
  }

  async lstat(path: string): Promise<FileStats | null> {
    await this.faults.meet('lstat', this.#shown(path));
    const target = this.#find(path);
    return target && (await this.#over.lstat(target.real));
  }

  lstatNow(path: string): FileStats | null {
    return this.#ifThere('lstat', path, (real) => this.#over.lstatNow(real));
  }

  access(path: string, mode: number): void {
    this.#over.access(this.#meetNow('access', path).real, mode);
  }

  realPath(path: string): string {
    const found = this.#over.realPath(this.#meetNow('realPath', path).real);
    for (const [folder, mountPoint] of this.#gone) {
      if (mountPoint !== null && isAtOrBelow(found, mountPoint)) return folder + found.slice(mountPoint.length);
    }
    return found;
  }

  readLink(path: string): string {
    return this.#over.readLink(this.#meetNow('readLink', path).real);
  }

  list(path: string): string[] {
    return this.#over.list(this.#meetNow('list', path).real);
  }

  async openDirectory(path: string, batch: number): Promise<OpenDirectory> {
    await this.faults.meet('openDirectory', this.#shown(path));
    const { shown, real } = this.#target('openDirectory', path);
    return new BreakingDirectory(await this.#over.openDirectory(real, batch), this.#faultsOf(shown));
  }

  mkdir(path: string, mode?: number): void {
    this.#over.mkdir(this.#meetNow('mkdir', path).real, mode);
  }

  rename(from: string, to: string): void {
    const { real } = this.#meetNow('rename', from);
    const target = this.#target('rename', to);
    // A name may be changed in its case alone.
    this.#over.rename(real, target.real === real ? to : target.real);
  }

  link(existing: string, path: string): void {
    const { real } = this.#meetNow('link', existing);
    this.#over.link(real, this.#target('link', path).real);
  }

  unlink(path: string): void {
    this.#over.unlink(this.#meetNow('unlink', path).real);
  }

  rmdir(path: string): void {
    this.#over.rmdir(this.#meetNow('rmdir', path).real);
  }

  async remove(path: string): Promise<void> {
    await this.faults.meet('remove', this.#shown(path));
    const target = this.#find(path);
    if (target) await this.#over.remove(target.real);
  }

  removeNow(path: string): void {
    this.#ifThere('remove', path, (real) => this.#over.removeNow(real));
  }

  async removeTree(path: string): Promise<void> {
    await this.faults.meet('removeTree', this.#shown(path));
    const target = this.#find(path);
    if (target) await this.#over.removeTree(target.real);
  }

  space(path: string): DiskSpace {
    const found = this.#over.space(this.#meetNow('space', path).real);
    const { left } = this.limitedSpace;
    return left === Number.POSITIVE_INFINITY ? found : { ...found, free: left };
  }

  isLocal(path: string): Promise<boolean> {
    return this.#over.isLocal(path);
  }

  identity(path: string): string | null {
    return this.#ifThere('identity', path, (real) => this.#over.identity(real));
  }

  watch(root: string, options: WatchOptions): Watch {
    return this.#over.watch(root, options);
  }

  #meetNow(call: Call, path: string): Target {
    this.faults.meetNow(call, this.#shown(path));
    return this.#target(call, path);
  }

  #ifThere<T>(call: Call, path: string, work: (real: string) => T): T | null {
    this.faults.meetNow(call, this.#shown(path));
    const target = this.#find(path);
    return target && work(target.real);
  }

  #target(call: Call, path: string): Target {
    const target = this.#find(path);
    if (!target) throw systemError('ENOENT', call, path);
    return target;
  }

  /** `null` where it has vanished. */
  #find(path: string): Target | null {
    const shown = this.#shown(path);
    const real = this.#foldsCase ? foldedPath(this.#over, path) : path;
    const root = this.#goneAbove(shown);
    if (root === null) return { shown, real };
    const mountPoint = this.#gone.get(root);
    return mountPoint ? { shown, real: join(mountPoint, shown.slice(root.length)) } : null;
  }

  #goneAbove(path: string): string | null {
    for (const folder of this.#gone.keys()) if (isAtOrBelow(path, folder)) return folder;
    return null;
  }

  /** A path by the descriptor of an open directory is that of the directory. */
  #shown(path: string): string {
    const byDescriptor = /^\/proc\/self\/fd\/(\d+)(.*)$/s.exec(path);
    const opened = byDescriptor && this.#open.get(Number(byDescriptor[1]));
    return opened ? opened + byDescriptor[2]! : path;
  }

  #faultsOf(path: string): FileFaults {
    const { length: before } = this.#departures;
    const lost = (call: Call): void => {
      const isLost = call !== 'close' && this.#departures.slice(before).some((folder) => isAtOrBelow(path, folder));
      if (isLost) throw systemError('EIO', call, path);
    };
    return {
      path,
      meetNow: (call) => {
        lost(call);
        this.faults.meetNow(call, path);
      },
      meet: async (call) => {
        lost(call);
        await this.faults.meet(call, path);
      },
      closed: () => {},
    };
  }
}
