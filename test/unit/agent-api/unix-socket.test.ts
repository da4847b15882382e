import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startAgentApi } from '#agent-api/server.ts';
import { agentClient } from '#main/cli/agent-connection/remote-agent.ts';
import { fakeEngine } from '#test/support/engine/fake-engine.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;
let path: string;
beforeEach(async () => {
  folder = await tempFolder();
  path = join(folder.path, 'agent.sock');
});
afterEach(() => folder.remove());

const start = (at = path) =>
  startAgentApi({ engine: fakeEngine(), listen: { path: at }, guiDir: null, dataDir: folder.path, version: '0', log: () => undefined });

/** What a killed program leaves. */
function leaveStale(): void {
  const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', script]);
  expect(statSync(path).isSocket()).toBe(true);
}

describe('an agent on a Unix socket', () => {
  it('answers its owner alone, without a token, and takes the socket away at its end', async () => {
    const api = await start();
    expect([api.url, api.tokenFile]).toEqual([`unix:${path}`, null]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.path)).toEqual(['agent.sock']);
    expect(await agentClient({ url: api.url }).call('healthz', {})).toEqual({ status: 'ok' });
    await expect(agentClient({ url: api.url, token: 'wrong' }).call('status', {})).rejects.toMatchObject({ error: 'agent_token_required' });
    await expect(agentClient({ url: api.url }).call('login', { body: { email: 'mia@example.com', password: 'x' } })).rejects.toHaveProperty(
      'error',
    );
    await api.close();
    expect(existsSync(path)).toBe(false);
    await expect(agentClient({ url: api.url }).call('healthz', {})).rejects.toMatchObject({ code: 4 });
  });

  it('replaces a socket on which nobody listens any more', async () => {
    leaveStale();
    const api = await start();
    expect(await agentClient({ url: api.url }).call('healthz', {})).toEqual({ status: 'ok' });
    await api.close();
  });

  it('leaves one alone on which somebody listens', async () => {
    const first = await start();
    await expect(start()).rejects.toMatchObject({
      name: 'ListenError',
      code: 'EADDRINUSE',
      message: expect.stringContaining('Another program listens'),
    });
    expect(await agentClient({ url: first.url }).call('healthz', {})).toEqual({ status: 'ok' });
    await first.close();
  });

  it('leaves a socket that took its place', async () => {
    const api = await start();
    spawnSync('rm', [path]);
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(path, resolve));
    await api.close();
    expect(existsSync(path)).toBe(true);
    await new Promise((resolve) => other.close(resolve));
  });

  it('says what else can stand in the way, and leaves nothing behind', async () => {
    writeFileSync(path, 'mine');
    await expect(start()).rejects.toThrow(/a file called agent\.sock that is no socket/);
    await expect(start(join(folder.path, 'no/agent.sock'))).rejects.toThrow(/its folder is not there/);
    await expect(start(join(folder.path, 'a'.repeat(100)))).rejects.toThrow(/longer than 103 bytes/);
    expect(readdirSync(folder.path)).toEqual(['agent.sock']);
  });
});
