import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { eventually, processesWith } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** A test's process that is killed leaves no agent, which would hold its folder and load the machine for ever. */

let folder: Awaited<ReturnType<typeof tempFolder>>;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(async () => {
  for (const { pid } of await processesWith(folder.path)) process.kill(pid, 'SIGKILL');
  await folder.remove();
});

describe.skipIf(!existsSync('/usr/bin/setpriv'))('of a test process that is killed', () => {
  it.each(['which runs', 'which is stopped'])('an agent %s is gone', async (how) => {
    const module = new URL('../support/engine/agent-process.ts', import.meta.url).href;
    const options = { dataDir: folder.path, serviceUrl: 'http://127.0.0.1:9' };
    const script = `const { startAgentProcess } = await import(${JSON.stringify(module)});
      console.log((await startAgentProcess(${JSON.stringify(options)})).pid);`;
    const test = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [pid] = (await once(createInterface(test.stdout), 'line')) as [string];
    if (how === 'which is stopped') process.kill(Number(pid), 'SIGSTOP');
    test.kill('SIGKILL');
    await eventually('no process of it is left', async () => (await processesWith(folder.path)).length === 0);
  });
});
