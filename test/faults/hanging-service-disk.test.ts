import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startAgentProcess } from '#test/support/engine/agent-process.ts';
import { startedTestDatabase } from '#test/support/service/postgres.ts';
import { makeHangingDisk, waitingThreads } from '#test/support/system/hanging-disk.ts';
import { eventually } from '#test/support/system/processes.ts';
import { hasPrograms } from '#test/support/system/programs.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const cli = fileURLToPath(new URL('../../main/cli/longshore.js', import.meta.url));

/** A command on the data folder of a service, whose disk can stop answering. */
async function prepare() {
  const own = await tempFolder();
  onTestFinished(own.remove);
  const dataDir = join(own.path, 'data');
  const postgres = await startedTestDatabase(join(dataDir, 'service'));
  onTestFinished(postgres.close);
  const { env, fallSilent } = makeHangingDisk(dataDir, own.path);
  const start = (...args: string[]) => {
    const child = spawn(process.execPath, [cli, ...args, '--data-dir', dataDir], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env, DATABASE_URL: postgres.url },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return { child, ended: once(child, 'exit'), said: text(child.stderr) };
  };
  return { start, fallSilent };
}

const apart = ['--public-url', 'http://127.0.0.1:1', '--storage-public-url', 'http://127.0.0.1:2', '--storage-listen', '127.0.0.1:0'];

describe.skipIf(process.platform !== 'linux' || !hasPrograms('cc'))('on a disk that does not answer any more', { timeout: 120_000 }, () => {
  test.each([
    { what: 'a service', args: [] },
    { what: 'an API node', args: ['--role', 'api', ...apart] },
    { what: 'a worker', args: ['--role', 'worker', ...apart] },
    { what: 'the storage', args: ['--role', 'storage', ...apart] },
  ])('$what is not ready, and ends all the same when it is to stop', async ({ args }) => {
    const { start, fallSilent } = await prepare();
    const { child, ended, said } = start('service', '--listen', '127.0.0.1:0', '--stop-limit', '1', ...args);
    let url = '';
    for await (const line of createInterface(child.stdout)) {
      url = /ready at (\S+)/.exec(line)?.[1] ?? '';
      if (url !== '') break;
    }
    fallSilent();
    // A lookup of local storage is synchronous: asked by one, the service would answer nobody, and hear no signal.
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([503, { checks: { storage: { reason: 'It did not answer within 2 s.' } } }]);
    child.kill('SIGTERM');
    // The last step unlocks the data folder, by a call that does not return: only another thread can end the process then.
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(await said).toMatch(/not stopped .*, most likely because a disk.* does not answer\. Its process is ended as it is/);
  });

  test('an agent whose state is on it ends all the same when it is to stop', async () => {
    const own = await tempFolder();
    onTestFinished(own.remove);
    const dataDir = join(own.path, 'data');
    const { env, fallSilent } = makeHangingDisk(dataDir, own.path);
    const agent = await startAgentProcess({ dataDir, serviceUrl: 'http://127.0.0.1:1', env });
    onTestFinished(agent.kill);
    fallSilent();
    process.kill(agent.pid, 'SIGTERM');
    expect(await agent.ended).toEqual([null, 'SIGKILL']);
  });

  test('a check ends by one Ctrl-C', async () => {
    const { start, fallSilent } = await prepare();
    fallSilent();
    const { child, ended, said } = start('admin', 'check');
    await eventually('it waits for the disk', async () => waitingThreads(child.pid!) > 0);
    child.kill('SIGINT');
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(await said).toMatch(/^The check has not stopped within 9 s, most likely because a disk, the database or the storage does not/m);
  });
});
