import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scanFolder } from '#engine/automations/uploads/scan-folder.ts';
import { walk } from '#engine/folders/scan.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { writeTree } from '#test/support/system/file-tree.ts';
import { type FuseMount, fuseMount, isMounted, noFuse } from '#test/support/system/mounts.ts';
import { eventually } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** A disk that hangs in the middle of a scan: an automation's, or an upload's. */

let own: Awaited<ReturnType<typeof tempFolder>>;
let root: string;
let fuse: FuseMount;
let endHelp = (): void => undefined;

beforeEach(async () => {
  own = await tempFolder();
  root = join(own.path, 'nas');
  const disk = join(own.path, 'disk');
  mkdirSync(root);
  writeTree(disk, { 'a.mov': 'a', 'day/b.mov': 'b', 'day/c.mov': 'c' });
  fuse = fuseMount(disk, root, join(own.path, 'cache'));
  await eventually(`${root} is mounted`, async () => isMounted(root));
});
afterEach(async () => {
  endHelp();
  fuse.end();
  await own.remove();
});

/** What the kernel remembers of names and sizes is older than this, in milliseconds. */
const forgottenMs = 2_500;

type Scan = (fileSystem: FileSystem) => Promise<string[]>;
const { signal } = new AbortController();
const scans: readonly (readonly [string, Scan])[] = [
  [
    "an automation's",
    async (fileSystem) => (await scanFolder(root, { recursive: true, guard: null, fileSystem, signal })).files.map(({ path }) => path),
  ],
  [
    "an upload's",
    async (fileSystem) => {
      const found: string[] = [];
      for await (const { path, name } of walk({ local: root, name: 'nas', folder: '', fileSystem, signal })) found.push(`${path}/${name}`);
      return found.map((path) => path.replace(/^nas\//, ''));
    },
  ],
];

describe.skipIf(noFuse !== '')(`a disk that hangs${noFuse && ` (${noFuse})`}`, () => {
  test.each(scans)('does not stop the agent, and %s scan goes on when it answers', async (_, scan) => {
    const hangs = Promise.withResolvers<void>();
    const tooLate = join(own.path, 'too-late');
    /** Hangs before anything in the folder `day` is looked at. */
    const hang = (path: string): boolean => {
      if (!path.startsWith(join(root, 'day', 'b'))) return false;
      fuse.kill('SIGSTOP');
      // If the agent's thread hangs too, nothing here can end that.
      const script = 'sleep 30; touch "$1"; kill -CONT $2';
      const help = spawn('sh', ['-c', script, 'sh', tooLate, String(fuse.pid)], { detached: true, stdio: 'ignore' });
      endHelp = () => {
        if (help.exitCode === null) process.kill(-help.pid!);
      };
      hangs.resolve();
      return true;
    };
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      async lstat(path) {
        if (hang(path)) await sleep(forgottenMs);
        return await nodeFileSystem.lstat(path);
      },
      lstatNow(path) {
        if (hang(path)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forgottenMs);
        return nodeFileSystem.lstatNow(path);
      },
    };
    const scanning = scan(fileSystem);
    await hangs.promise;
    await sleep(forgottenMs + 500);
    expect(existsSync(tooLate)).toBe(false);
    fuse.kill('SIGCONT');
    expect((await scanning).toSorted()).toEqual(['a.mov', 'day/b.mov', 'day/c.mov']);
  });
});
