import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startMountUtility } from '#main/electron/mount-process.ts';
import { startMountByUtility, type UtilityMount } from '#test/support/engine/mount-by-utility.ts';
import { utilityProcess } from '#test/support/engine/utility-process.ts';
import { eventually } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** The process of a mount as the desktop app starts it, over a stand-in for Electron's utility processes. */

const script = fileURLToPath(new URL('../../../engine/gateway/mount-process/child.ts', import.meta.url));

let own: Awaited<ReturnType<typeof tempFolder>>;
let mount: UtilityMount | null = null;
beforeEach(async () => {
  own = await tempFolder();
});
afterEach(async () => {
  await mount?.process.close();
  mount = null;
  await own.remove();
});

const isGone = (pid: number) => async (): Promise<boolean> => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

it('talks over the port to its parent, is started again when it is killed, and ends in good order', async () => {
  const { process: child, states, pids } = startMountByUtility(own.path, script);
  mount = { process: child } as UtilityMount;
  expect(await child.ask('mark', {})).toMatchObject({ marked: true });
  await expect.poll(() => states.at(-1), { timeout: 60_000 }).toMatchObject({ state: 'ok' });
  process.kill(pids()[0]!, 'SIGKILL');
  expect(await child.ask('browse', { prefix: '', prevKey: '', count: 1 })).toEqual({ items: [], nextKey: '' });
  expect(pids()).toHaveLength(2);
  const last = pids()[1]!;
  await child.close();
  await eventually('it is gone', isGone(last));
});

it('is ended by force where it is left behind, and says nothing more', async () => {
  const child = startMountUtility(utilityProcess, script);
  const heard: string[] = [];
  child.listen({ message: ({ type }) => void heard.push(type), error: () => undefined, exit: () => void heard.push('exit') });
  await expect.poll(() => child.pid, { timeout: 60_000 }).toBeDefined();
  const pid = child.pid!;
  // One that hangs takes no request to end.
  process.kill(pid, 'SIGSTOP');
  child.abandon();
  await eventually('it is gone', isGone(pid));
  expect([heard, child.send({ type: 'stop' })]).toEqual([[], false]);
});
