import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Deliver } from '#engine/gateway/mount-process/messages.ts';
import { startTestMount, type TestMount } from '#test/support/engine/mount-process.ts';
import { seededRandom, seeds, soaking } from '#test/support/faults/seeds.ts';
import { inAll, whole } from '#test/support/level.ts';
import { linkedPackage } from '#test/support/service/download-link.ts';
import { openLink } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { fuseMount, isMounted, mount as mountAt, noFuse, noMounts, unmount } from '#test/support/system/mounts.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Mounts on disks that are full, read-only, hang or vanish, and processes that are killed at any moment. */

let service: TestService;
let own: Awaited<ReturnType<typeof tempFolder>>;
let root: string;
let mount: TestMount | null = null;
let sent: string;
const undo: (() => void)[] = [];

const content = { 'day/a.txt': 'small', 'day/large.bin': seededBytes(3 * 1024 * 1024, 3), 'day/sub/b.bin': seededBytes(300_000, 4) };
const patiently = { timeout: 60_000, interval: 100 };

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());
beforeEach(async () => {
  own = await tempFolder();
  root = join(own.path, 'nas');
  sent = join(own.path, 'sent');
  mkdirSync(root);
  writeTree(sent, content);
});
afterEach(async () => {
  await mount?.close();
  mount = null;
  for (const step of undo.splice(0).reverse()) step();
  await own.remove();
});

async function begin(options: { readonly downloadRate?: number; readonly readOnly?: boolean; readonly marked?: boolean } = {}) {
  mount = await startTestMount({ root, dataDir: join(own.path, 'state'), serviceUrl: service.url, ...options });
  return mount;
}

let packageOf: Promise<{ readonly packageId: string; readonly token: string }> | null = null;

async function delivery(target: string): Promise<Deliver> {
  packageOf ??= linkedPackage(service, content).then(async ({ sender, link }) => ({
    packageId: sender.package.id,
    token: (await openLink(service, link)).body.package_token,
  }));
  return { kind: 'deliver', transferId: randomUUID(), target, ...(await packageOf) };
}

const isOver = ({ state }: { readonly state: string }) => state === 'complete' || state === 'error';

function mounted(...args: readonly string[]): void {
  mountAt(...args);
  undo.push(() => unmount(args.at(-1)!));
}

describe.skipIf(noMounts !== '')(`a real mount${noMounts && ` (${noMounts})`}`, () => {
  test('a disk that is full makes deliveries wait, and room lets them go on', async () => {
    mounted('-t', 'tmpfs', '-o', 'size=5m', 'tmpfs', root);
    const { give, when, states, process: child } = await begin();
    await child.ask('probe', {});
    writeFileSync(join(root, 'theirs.bin'), Buffer.alloc(3 * 1024 * 1024));
    const waits = when(({ state, error }) => state === 'waiting' && error !== '');
    give(await delivery('In/Day'));
    expect((await waits).error).toMatch(/full|space|room/i);
    const over = when(isOver);
    execFileSync('rm', [join(root, 'theirs.bin')]);
    expect(await over).toMatchObject({ state: 'complete' });
    expect(readTree(join(root, 'In/Day'))).toEqual(readTree(sent));
    writeFileSync(join(root, 'theirs.bin'), Buffer.alloc(1024 * 1024));
    try {
      writeFileSync(join(root, 'more.bin'), Buffer.alloc(4 * 1024 * 1024));
    } catch {
      // That is how a disk is filled to its last byte.
    }
    await expect.poll(() => states.at(-1), patiently).toMatchObject({ state: 'offline', reason: expect.stringContaining('full') });
  });

  test(
    'a disk that becomes read-only turns offline with the reason; a read-only mount of it collects',
    inAll('a disk that is full makes deliveries wait, too'),
    async () => {
      mounted('-t', 'tmpfs', '-o', 'size=9m', 'tmpfs', root);
      const { states } = await begin();
      await expect.poll(() => states.at(-1)?.state, patiently).toBe('ok');
      execFileSync('mount', ['-o', 'remount,ro', root]);
      await expect.poll(() => states.at(-1), patiently).toMatchObject({ state: 'offline', reason: expect.stringContaining('read-only') });
      const reader = await startTestMount({
        root,
        dataDir: join(own.path, 'other'),
        serviceUrl: service.url,
        readOnly: true,
        marked: false,
      });
      try {
        await expect.poll(() => reader.states.at(-1)?.state, patiently).toBe('ok');
      } finally {
        await reader.close();
      }
    },
  );

  test('a drive that is unmounted in the middle leaves its empty folder untouched, and the delivery waits for it', async () => {
    const disk = join(own.path, 'disk');
    mkdirSync(disk);
    mounted('--bind', disk, root);
    const { give, when } = await begin({ downloadRate: 1_500_000 });
    const moving = when(({ progress }) => progress.bytes > 300_000);
    give(await delivery('In/Day'));
    await moving;
    const waits = when(({ state, error }) => state === 'waiting' && /not mounted|not there/.test(error));
    execFileSync('umount', ['-l', root]);
    await waits;
    expect(readdirSync(root)).toEqual([]);
    const over = when(isOver);
    execFileSync('mount', ['--bind', disk, root]);
    expect(await over).toMatchObject({ state: 'complete' });
    expect(readTree(join(root, 'In/Day'))).toEqual(readTree(sent));
  });
});

describe.skipIf(noFuse !== '')(`a file system that hangs${noFuse && ` (${noFuse})`}`, () => {
  test('its process is left behind, the agent goes on, and the mount is there when it answers again', async () => {
    const disk = join(own.path, 'disk');
    mkdirSync(disk);
    const fuse = fuseMount(disk, root, join(own.path, 'cache'));
    undo.push(fuse.end);
    await expect.poll(() => isMounted(root), patiently).toBe(true);
    // Nothing is delivered: this file system gives no file a second name, by which files get theirs.
    const { states, pids, process: child } = await begin();
    await expect.poll(() => states.at(-1)?.state, patiently).toBe('ok');
    fuse.kill('SIGSTOP');
    await expect
      .poll(() => states.at(-1), patiently)
      .toMatchObject({ state: 'offline', reason: expect.stringContaining('does not answer') });
    const before = pids.length;
    fuse.kill('SIGCONT');
    await expect.poll(() => states.at(-1)?.state, patiently).toBe('ok');
    expect(pids.length).toBeGreaterThanOrEqual(before);
    expect(await child.ask('browse', { prefix: '', prevKey: '', count: 10 })).toEqual({ items: [], nextKey: '' });
  });
});

describe('kills and outages', () => {
  test.each(seeds(soaking ? 50 : 1))('lose, double and misplace nothing (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const { give, when, pids } = await begin({ downloadRate: 2_000_000 });
    const works = [await delivery('In/Day'), await delivery('In/Day'), await delivery('In/Other')];
    const over = works.map(({ transferId }) => when((report) => report.transferId === transferId && isOver(report)));
    for (const work of works) give(work);
    const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
    const faults: readonly (() => Promise<void> | void)[] = [
      () => void tryKill(pids.at(-1)!),
      () => give(works[Math.floor(random() * works.length)]!),
      async () => {
        renameSync(root, `${root}-away`);
        if (random() < 0.5) mkdirSync(root);
        await pause(random() * 2_500);
        if (existsSync(root)) {
          expect(readdirSync(root)).toEqual([]);
          rmdirSync(root);
        }
        renameSync(`${root}-away`, root);
      },
    ];
    for (let number = 0; number < (whole ? 4 : 2); number++) {
      await pause(random() * 1_200);
      await faults[Math.floor(random() * faults.length)]!();
    }
    expect((await Promise.all(over)).map(({ state }) => state)).toEqual(works.map(() => 'complete'));
    expect(readdirSync(join(root, 'In')).sort()).toEqual(['Day', 'Day (2)', 'Other']);
    for (const name of ['Day', 'Day (2)', 'Other']) expect(readTree(join(root, 'In', name))).toEqual(readTree(sent));
    expect(readdirSync(own.path).sort()).toEqual(['nas', 'sent', 'state']);
    expect(readdirSync(root).sort()).toEqual(['.longshore-mount', 'In']);
  });
});

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
