import { join, parse, resolve, sep } from 'node:path';
import type { FileStats, FileSystem } from '#filesystem/port.ts';
import { AgentError } from '#protocol/errors.ts';
import type { Clock } from '../ports.ts';
import { mountOf, mountPoints } from './mount-points.ts';
import { untilDiskAnswers } from './until-disk-answers.ts';

/**
 * Asks disks by calls that can be left behind, before synchronous ones touch them: on a network drive whose server has gone
 * those would stop the whole agent (docs/decisions/0080). What the system still remembers of such a drive answers as
 * well, for some seconds.
 */
export interface AnsweringDisks {
  /** Returns once the disks that these paths lead to have answered; `path_unreadable` names the first that does not. */
  answer(paths: readonly string[]): Promise<void>;
  /** Begins one look: whether the disk answers that a path leads to. Each disk is asked once in it, where it is of this machine. */
  look(): Promise<Answers>;
}

export type Answers = (path: string) => Promise<boolean>;

/** Milliseconds. A disk that has to spin up takes longer to be read, but the second try then finds it awake. */
const deadlineMs = 5_000;
/** A call that hangs keeps one of Node's four threads for calls to disks. With so many, only disks of this machine are asked. */
const mostSilent = 2;
/** As many as Linux follows (path_resolution(7)). */
const mostLinks = 40;

class Silent extends Error {}

/** What one call has found out. */
interface Look {
  readonly mounts: readonly string[];
  /** By the place where a disk is mounted: whether it is certainly one of this machine. */
  readonly local: Map<string, boolean>;
  /** Paths that are there and no links. */
  readonly passed: Set<string>;
}

export function createAnsweringDisks({ fileSystem, clock }: { readonly fileSystem: FileSystem; readonly clock: Clock }): AnsweringDisks {
  /** The call to each disk that is under way: one at a time, so that a dead disk holds one thread only. */
  const asked = new Map<string, Promise<unknown>>();
  const silent = new Set<string>();
  const local = new Set<string>();

  async function ask<T>(mount: string, call: () => Promise<T>): Promise<T> {
    for (let before = asked.get(mount); before; before = asked.get(mount)) await inTime(mount, before);
    if (silent.size >= mostSilent && !local.has(mount) && mount !== parse(mount).root) throw new Silent();
    const asking = call().finally(() => {
      asked.delete(mount);
      silent.delete(mount);
    });
    asked.set(mount, asking);
    return inTime(mount, asking);
  }

  async function inTime<T>(mount: string, call: Promise<T>): Promise<T> {
    if (silent.has(mount)) throw new Silent();
    const late = Promise.withResolvers<never>();
    const cancel = clock.after(deadlineMs, () => {
      silent.add(mount);
      late.reject(new Silent());
    });
    try {
      return await Promise.race([call, late.promise]);
    } finally {
      cancel();
    }
  }

  /** Follows the path name by name, links as well, so that what hangs is known to be the disk of that name. */
  async function reach(path: string, look: Look): Promise<void> {
    let at = parse(path).root;
    const names = namesOf(path);
    for (let links = 0; names.length > 0 && links <= mostLinks; ) {
      const next = join(at, names.shift()!);
      if (!look.passed.has(next)) {
        const found = await lookAt(next, look);
        // What is wrong with the path is for the calls to say that follow.
        if (!found) return;
        if (found.isSymbolicLink()) {
          const target = resolve(at, fileSystem.readLink(next));
          at = parse(target).root;
          names.unshift(...namesOf(target));
          links++;
          continue;
        }
        look.passed.add(next);
      }
      at = next;
    }
  }

  async function lookAt(path: string, look: Look): Promise<FileStats | null> {
    const mount = mountOf(path, look.mounts);
    if (!look.local.has(mount)) {
      const isLocal = await ask(mount, () => untilDiskAnswers(mount, fileSystem));
      look.local.set(mount, isLocal);
      if (isLocal) local.add(mount);
    }
    if (look.local.get(mount)) return fileSystem.lstatNow(path);
    return await ask(mount, () => fileSystem.lstat(path).catch(() => null));
  }

  async function answers(path: string, look: Look): Promise<boolean> {
    try {
      await reach(path, look);
      return true;
    } catch (cause) {
      // A name that may not be looked at was answered too.
      return !(cause instanceof Silent);
    }
  }

  async function look(): Promise<Answers> {
    const found: Look = { mounts: await mountPoints(fileSystem), local: new Map(), passed: new Set() };
    return (path) => answers(path, found);
  }

  return {
    look,
    async answer(paths) {
      const isThere = await look();
      for (const path of paths) if (!(await isThere(path))) throw new AgentError('path_unreadable', { path, detail: noAnswer });
    },
  };
}

const noAnswer = 'its disk does not answer. See whether the drive is connected, then try again.';

/** None of a path that is not absolute: that is refused before its disk is touched. */
const namesOf = (path: string): string[] =>
  parse(path).root === '' ? [] : resolve(path).slice(parse(path).root.length).split(sep).filter(Boolean);
