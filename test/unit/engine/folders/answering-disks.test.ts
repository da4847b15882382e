import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFolderCalls } from '#engine/folders/folder-calls.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** A network drive at `nas` whose server has gone: what is asked of it and can be left behind never answers. */

let own: Awaited<ReturnType<typeof tempFolder>>;
let at: (path: string) => string;
/** Lets the drive answer. */
let comesBack: () => void;
let isBack: boolean;
let asked: string[];
/** Of the clock: what is due. */
let due: Set<() => void>;
let roots: string[];
let folders: ReturnType<typeof createFolderCalls>;

beforeEach(async () => {
  own = await tempFolder();
  at = (path) => join(nodeFileSystem.realPath(own.path), path);
  mkdirSync(at('nas/day'), { recursive: true });
  mkdirSync(at('home'));
  writeFileSync(at('home/a.mov'), 'a');
  writeFileSync(at('nas/day/b.mov'), 'b');
  symlinkSync(at('nas/day'), at('home/link'));
  const back = Promise.withResolvers<void>();
  isBack = false;
  comesBack = () => {
    isBack = true;
    back.resolve();
  };
  asked = [];
  due = new Set();
  roots = [at('home')];
  folders = createFolderCalls({
    settings: { current: () => ({ allowed_roots: roots }) as never },
    lists: { page: () => [] as never },
    find: () => null,
    drops: { folder: at('drops'), realPathOf: () => null },
    fileSystem: withDeadDrive(back.promise),
    clock: {
      now: () => 0,
      after(_, callback) {
        due.add(callback);
        return () => due.delete(callback);
      },
    },
  });
});
afterEach(async () => {
  comesBack();
  await own.remove();
});

function withDeadDrive(back: Promise<void>): FileSystem {
  const isOnIt = (path: string) => path === at('nas') || path.startsWith(at('nas/'));
  /** A call that would stand: the link is followed as the system would. */
  const touch =
    <T>(call: (path: string) => T, follows = true) =>
    (path: string): T => {
      if (!isBack && isOnIt(follows ? nodeFileSystem.realPath(path) : path)) throw new Error(`The agent would stand at ${path}.`);
      return call(path);
    };
  const mountTable = `1 0 0:1 / / rw - ext4 /dev/a rw\n2 1 0:2 / ${at('nas')} rw - nfs4 server:/ rw\n`;
  return {
    ...nodeFileSystem,
    open: async (path, flags, mode) => {
      if (path !== '/proc/self/mountinfo') return nodeFileSystem.open(path, flags, mode);
      writeFileSync(at('mountinfo'), mountTable);
      return nodeFileSystem.open(at('mountinfo'), flags);
    },
    stat: touch(nodeFileSystem.stat),
    lstatNow: touch(nodeFileSystem.lstatNow, false),
    realPath: touch(nodeFileSystem.realPath),
    list: touch(nodeFileSystem.list),
    lstat: async (path) => {
      if (isOnIt(path)) {
        asked.push(path);
        await back;
      }
      return nodeFileSystem.lstat(path);
    },
    isLocal: async (path) => !isOnIt(path),
  };
}

/** Lets the time pass once somebody waits for it. */
async function late(): Promise<void> {
  while (due.size === 0 || asked.length === 0) await new Promise(setImmediate);
  for (const callback of [...due]) callback();
}

const noAnswer = { error: 'path_unreadable', details: expect.objectContaining({ detail: expect.stringContaining('does not answer') }) };

describe.skipIf(process.platform !== 'linux')('a disk that does not answer', () => {
  it('is told of its paths, by whichever link, and asked once', async () => {
    const answer = folders.answer([at('home/a.mov'), at('home/link/b.mov')]);
    const refused = expect(answer).rejects.toMatchObject({ ...noAnswer, details: { path: at('home/link/b.mov') } });
    await late();
    await refused;
    // While it is silent nobody waits for it.
    await expect(folders.answer([at('nas/day/b.mov')])).rejects.toMatchObject(noAnswer);
    expect(asked).toHaveLength(1);
    await folders.answer([at('home/a.mov')]);
  });

  it('makes nobody wait who names others', async () => {
    const answer = folders.answer([at('nas')]);
    const refused = expect(answer).rejects.toMatchObject(noAnswer);
    await folders.answer([at('home/a.mov'), at('gone/x')]);
    await late();
    await refused;
  });

  it('is left out of what is listed, and permits nothing while it is silent', async () => {
    roots = [at('nas'), at('home')];
    const listing = folders.list({ path: at('home'), hidden: false, limit: 10 });
    await late();
    const { entries, roots: allowed } = await listing;
    expect(entries.map(({ name }) => name)).toEqual(['a.mov']);
    expect(allowed).toEqual([at('home')]);
    expect(() => folders.check(at('home/a.mov'))).not.toThrow();
    const places = await folders.places(true);
    expect(places.map(({ path }) => path)).toEqual([at('home')]);
  });

  it('counts again once it answers', async () => {
    roots = [at('nas'), at('home')];
    const answer = folders.answer([at('nas/day/b.mov')]);
    const refused = expect(answer).rejects.toMatchObject(noAnswer);
    await late();
    await refused;
    comesBack();
    await new Promise(setImmediate);
    await folders.answer([at('nas/day/b.mov')]);
    expect(() => folders.check(at('nas/day/b.mov'))).not.toThrow();
    expect((await folders.list({ path: at('home'), hidden: false, limit: 10 })).entries.map(({ name }) => name)).toEqual(['link', 'a.mov']);
  });
});
