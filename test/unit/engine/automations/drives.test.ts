import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openUploadBench } from '#test/support/engine/upload-bench.ts';
import { mount, noMounts, unmount } from '#test/support/system/mounts.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** A watched folder, and drives that can be mounted there. */
async function setUp() {
  const folder = await diskFolder();
  endings.push(folder.remove);
  // Made after all files, by its clock: one that came between the making and the first look is new.
  const bench = openUploadBench(folder.path, { existing: false }, Date.now() + 3_600_000);
  endings.push(() => bench.close());
  return {
    restart: bench.restart,
    drive(name: string): string {
      const path = join(folder.path, name);
      mkdirSync(path);
      mount('-t', 'tmpfs', 'tmpfs', path);
      endings.push(() => unmount(path));
      return path;
    },
    connect(drive: string) {
      mount('--bind', drive, bench.hot);
      endings.push(() => unmount(bench.hot));
    },
    disconnect: () => unmount(bench.hot),
    /** What is sent by now, in the order of names. */
    async sent(): Promise<string[]> {
      for (let passes = 0; passes < 3; passes++) {
        await bench.pass();
        await bench.transfer();
        bench.wait(60_000);
      }
      return [...bench.packages.values()].flatMap((contents) => [...contents.values()]).sort();
    },
  };
}

describe.skipIf(noMounts)(`a watched folder on a drive${noMounts && ` (${noMounts})`}`, () => {
  it('sends what came to its drive while that was away, and only that', async () => {
    const { drive, connect, disconnect, sent, restart } = await setUp();
    const card = drive('card');
    writeFileSync(join(card, 'old.mov'), 'old');
    connect(card);
    expect(await sent()).toEqual([]);
    // The mount point is a folder as well, and it is empty.
    disconnect();
    expect(await sent()).toEqual([]);
    restart();
    writeFileSync(join(card, 'new.mov'), 'new');
    connect(card);
    expect(await sent()).toEqual(['new']);
  });

  it('sends nothing of a drive that was never there', async () => {
    const { drive, connect, disconnect, sent } = await setUp();
    connect(drive('card'));
    expect(await sent()).toEqual([]);
    disconnect();
    const other = drive('other');
    writeFileSync(join(other, 'theirs.mov'), 'theirs');
    connect(other);
    expect(await sent()).toEqual([]);
    writeFileSync(join(other, 'new.mov'), 'new');
    expect(await sent()).toEqual(['new']);
  });
});
