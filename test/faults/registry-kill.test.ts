import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sealerOf } from '#engine/secrets/seal.ts';
import { openDatabase } from '#engine/state/database.ts';
import { openStore } from '#engine/state/store.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';
import { allTransfers } from '#test/support/engine/all-transfers.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const ender = fileURLToPath(new URL('../support/faults/ending-transfers.ts', import.meta.url));
const runs = 6;

/** Runs it until it has told so many things, then kills it in the midst of what it does next. */
async function killedAfter(lines: number, folder: string, run: number): Promise<string[]> {
  const child = spawn(process.execPath, [ender, folder, `run${run}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const told: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    told.push(line);
    if (told.length === lines) child.kill('SIGKILL');
  }
  expect(await ended).toEqual([null, 'SIGKILL']);
  return told;
}

test('whatever was told of a transfer that ended holds after a kill, and every list and count agrees with the table', async () => {
  const folder = await tempFolder();
  try {
    const ends = new Map<string, string>();
    for (let run = 0; run < runs; run++) {
      for (const line of await killedAfter(5 + 37 * run, folder.path, run)) {
        const [end, id] = line.split(' ') as [string, string];
        ends.set(id, end);
      }
      const opened = openDatabase(folder.path, { now: 0 });
      expect(opened.warnings).toEqual([]);
      expect(opened.db.pragma('integrity_check', { simple: true })).toBe('ok');
      const store = openStore(opened, sealerOf(Buffer.alloc(32)), createFakeClock());
      const table = opened.db
        .prepare<[], { id: string; state: string; removed: number }>('SELECT id, state, removed FROM transfers NOT INDEXED')
        .all();
      for (const [id, end] of ends) {
        const row = table.find((one) => one.id === id);
        expect(row, id).toMatchObject({ state: 'complete' });
        if (end === 'removed') expect(row!.removed, id).toBe(1);
      }
      // Of the one that it was killed over it may have any state that it can have.
      const listed = table.filter(({ removed }) => removed === 0);
      const open = listed.filter(({ state }) => state !== 'complete').map(({ id }) => id);
      expect(open.length).toBeLessThanOrEqual(run + 1);
      expect(
        allTransfers(store)
          .map(({ id }) => id)
          .toSorted(),
      ).toEqual(listed.map(({ id }) => id).toSorted());
      expect(store.lists.all({ state: ['queued', 'transferring'] }).toSorted()).toEqual(open.toSorted());
      expect(store.lists.states({}).complete).toBe(listed.length - open.length);
      expect(store.lists.page({ page: 1, limit: 1_000_000, sort: 'queue' })).toHaveLength(listed.length);
      store.close();
    }
    expect([...ends.values()].filter((end) => end === 'removed').length).toBeGreaterThan(runs);
  } finally {
    await folder.remove();
  }
});
