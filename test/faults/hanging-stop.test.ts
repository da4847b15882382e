import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startAgentProcess } from '#test/support/engine/agent-process.ts';
import { startTestService } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { eventually } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const preload = new URL('../support/system/hanging-disk-preload.ts', import.meta.url).href;

/** Threads that wait until somebody writes to a pipe. */
const waiting = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).filter((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/wchan`, 'latin1').includes('wait_for_partner'),
  ).length;

test.skipIf(process.platform !== 'linux')(
  'an agent whose disk does not answer ends all the same when it is to stop, and the next one sends the rest',
  async () => {
    const own = await tempFolder();
    onTestFinished(own.remove);
    const service = await startTestService();
    onTestFinished(service.close);
    const [root, pipe] = [join(own.path, 'nas'), join(own.path, 'pipe')];
    writeTree(root, { 'a.mov': seededBytes(3 * 1024 * 1024, 1), 'b.txt': 'b' });
    execFileSync('mkfifo', [pipe]);
    const start = (env: Record<string, string> = {}) =>
      startAgentProcess({ dataDir: join(own.path, 'agent'), serviceUrl: service.url, apiKey: service.apiKey, env });

    const agent = await start({ NODE_OPTIONS: `--import=${preload}`, LONGSHORE_TEST_PIPE: pipe, UV_THREADPOOL_SIZE: '4' });
    onTestFinished(agent.kill);
    await agent.call('PUT', '/transfers/pause');
    const { id } = await agent.post('/uploads', { team_id: service.teamId, paths: [root], package_name: 'Hangs', recipients: [] });
    process.kill(agent.pid, 'SIGUSR2');
    await eventually('all threads wait for the disk', async () => waiting(agent.pid) === 4);
    await agent.call('PUT', '/transfers/resume');
    await agent.when(id, ({ state }) => state === 'transferring');
    process.kill(agent.pid, 'SIGTERM');
    // `process.exit` would wait for these threads.
    expect(await agent.ended).toEqual([null, 'SIGKILL']);

    const next = await start();
    onTestFinished(next.stop);
    const { url } = await next.when(id, ({ state }) => state === 'complete');
    const { id: download } = await next.post('/downloads', { url, dst_folder: join(own.path, 'got') });
    await next.when(download, ({ state }) => state === 'complete');
    expect(readTree(join(own.path, 'got', 'nas'))).toEqual(readTree(root));
  },
  120_000,
);
