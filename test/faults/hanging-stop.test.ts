import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { startAgentProcess } from '#test/support/engine/agent-process.ts';
import { startedTestDatabase } from '#test/support/service/postgres.ts';
import { startTestService } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { waitingThreads as waiting } from '#test/support/system/hanging-disk.ts';
import { startHttpServer } from '#test/support/system/http-server.ts';
import { eventually } from '#test/support/system/processes.ts';
import { startSilentProxy } from '#test/support/system/silent-proxy.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const preload = new URL('../support/system/hanging-disk-preload.ts', import.meta.url).href;

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

test.skipIf(process.platform !== 'linux')(
  'a command whose disk does not answer ends by one Ctrl-C',
  async () => {
    const own = await tempFolder();
    onTestFinished(own.remove);
    const pipe = join(own.path, 'pipe');
    execFileSync('mkfifo', [pipe]);
    writeTree(own.path, { 'a.mov': seededBytes(1_000, 1) });
    const asked = Promise.withResolvers<void>();
    // A service that has not answered yet when the disk falls silent.
    const service = await startHttpServer(async () => {
      asked.resolve();
      await new Promise(() => undefined);
    });
    onTestFinished(service.close);
    const cli = fileURLToPath(new URL('../../main/cli/longshore.js', import.meta.url));
    const flags = ['--no-agent', '--service-url', service.url, '--api-key', 'a-key', '--data-dir', join(own.path, 'data')];
    const child = spawn(process.execPath, [cli, 'send', join(own.path, 'a.mov'), ...flags], {
      env: { ...process.env, NODE_OPTIONS: `--import=${preload}`, LONGSHORE_TEST_PIPE: pipe, UV_THREADPOOL_SIZE: '4' },
    });
    const ended = once(child, 'exit');
    onTestFinished(() => void child.kill('SIGKILL'));
    const said = text(child.stderr);
    await asked.promise;
    child.kill('SIGUSR2');
    await eventually('all threads wait for the disk', async () => waiting(child.pid!) === 4);
    child.kill('SIGINT');
    expect(await ended).toEqual([null, 'SIGINT']);
    expect(await said).toMatch(/^Stopped while the upload was being begun\.$/m);
  },
  120_000,
);

test('a service whose database does not answer any more says so, and ends all the same when it is to stop', async () => {
  const own = await tempFolder();
  onTestFinished(own.remove);
  const dataDir = join(own.path, 'data');
  const postgres = await startedTestDatabase(join(dataDir, 'service'));
  onTestFinished(postgres.close);
  const database = new URL(postgres.url);
  const folder = decodeURIComponent(database.hostname);
  const { port } = database;
  const proxy = await startSilentProxy(
    folder.startsWith('/') ? { path: join(folder, `.s.PGSQL.${port}`) } : { host: folder, port: Number(port) },
  );
  onTestFinished(proxy.close);
  database.host = `127.0.0.1:${proxy.port}`;
  const cli = fileURLToPath(new URL('../../main/cli/longshore.js', import.meta.url));
  const child = spawn(process.execPath, [cli, 'service', '--listen', '127.0.0.1:0', '--data-dir', dataDir, '--stop-limit', '1'], {
    env: { ...process.env, DATABASE_URL: database.href },
  });
  const ended = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = text(child.stderr);
  await once(child.stdout, 'data');
  proxy.beSilent();
  child.kill('SIGTERM');
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(await said).toMatch(/has not stopped within 1 s, most likely because a disk, the database or the storage does not answer/);
}, 120_000);
