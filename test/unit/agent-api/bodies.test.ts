import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningAgentApi, startAgentApi } from '#agent-api/server.ts';
import { limits } from '#protocol/limits.ts';
import { type FakeEngine, fakeEngine } from '#test/support/engine/fake-engine.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Bodies are taken as the service takes them (contract/conventions.md §3): a caller of both meets one rule. */

let folder: Awaited<ReturnType<typeof tempFolder>>;
let engine: FakeEngine;
let api: RunningAgentApi;

beforeEach(async () => {
  folder = await tempFolder();
  engine = fakeEngine();
  api = await startAgentApi({
    engine,
    listen: { host: '127.0.0.1', port: 0 },
    guiDir: null,
    dataDir: folder.path,
    version: '0.1.0',
    log: () => undefined,
  });
});
afterEach(async () => {
  await api.close();
  await folder.remove();
});

const MiB = 1024 * 1024;
const tooLarge = { code: 65540, message: expect.stringContaining(String(limits.bodyBytes)) };

describe('a body that is too large', () => {
  it.each([limits.bodyBytes + 1, 5 * MiB, 64 * MiB])('of %i bytes is 413 to a caller who reads only when all is sent', async (size) => {
    const { hostname, port } = new URL(api.url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    let text = '';
    let failed: Error | null = null;
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString();
    });
    socket.on('error', (error) => {
      failed = error;
    });
    // Listened for once: a race for each piece would leave its listeners behind.
    const closed = new Promise<unknown>((resolve) => socket.once('close', resolve));
    socket.pause();
    const write = async (bytes: string | Buffer): Promise<void> => {
      if (!socket.write(bytes) && !failed) await Promise.race([once(socket, 'drain'), closed]);
    };
    await write(
      `POST /api/v1/uploads HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\ncontent-length: ${size}\r\n\r\n`,
    );
    const piece = Buffer.alloc(MiB / 4, 'x');
    for (let sent = 0; sent < size && !failed; sent += piece.length) await write(piece.subarray(0, Math.min(piece.length, size - sent)));
    socket.resume();
    if (!failed) await Promise.race([once(socket, 'end'), closed]);
    expect(failed).toBeNull();
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4))).toMatchObject(tooLarge);
    socket.end();
    await closed;
  });
});

describe('unknown fields', () => {
  const login = { email: 'mia@example.com', password: 'right' };
  const post = (body: string) =>
    fetch(`${api.url}/api/v1/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });

  it.each([
    ['any', JSON.stringify({ ...login, color: 'red' })],
    ['__proto__', `{"__proto__":{"email":"eve@example.com"},${JSON.stringify(login).slice(1)}`],
    ['constructor with a prototype', `{"constructor":{"prototype":{"email":"eve"}},${JSON.stringify(login).slice(1)}`],
  ])('are ignored: %s', async (_, body) => {
    const expected = await post(JSON.stringify(login));
    const reply = await post(body);
    expect([reply.status, await reply.json()]).toEqual([expected.status, await expected.json()]);
    expect(({} as { email?: string }).email).toBeUndefined();
  });
});

it('one that is nested thousands of levels deep is refused before anything reads it', async () => {
  const body = `{"kind":"team_upload","deep":${'['.repeat(6_000)}${']'.repeat(6_000)}}`;
  for (const path of ['login', 'uploads', 'settings']) {
    const method = path === 'settings' ? 'PUT' : 'POST';
    const answer = await fetch(`${api.url}/api/v1/${path}`, { method, headers: { 'content-type': 'application/json' }, body });
    expect([answer.status, await answer.json()]).toMatchObject([400, { message: 'The body is nested more than 500 levels deep.' }]);
  }
});
