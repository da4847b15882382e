import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type RunningAgentApi, startAgentApi } from '#agent-api/server.ts';
import { fakeEngine } from '#test/support/engine/fake-engine.ts';
import { type TempFolder, tempFolder } from '#test/support/system/temp-folder.ts';

let folder: TempFolder;
let api: RunningAgentApi;
const open: Socket[] = [];
beforeAll(async () => {
  folder = await tempFolder();
  const options = { guiDir: null, dataDir: folder.path, version: '0', log: () => undefined, connections: { most: 20, mostOfOne: 8 } };
  api = await startAgentApi({ engine: fakeEngine(), listen: { host: '0.0.0.0', port: 0 }, ...options });
});
afterAll(async () => {
  for (const socket of open) socket.destroy();
  await api?.close();
  await folder?.remove();
});

/** A connection from an address of this machine that says no more than the beginning of a head. */
async function silent(localAddress: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(api.url).port), localAddress });
  open.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write('GET /healthz HTTP/1.1\r\nHost: ');
  return socket;
}

it('holds so many connections of one address, and others are answered meanwhile', async () => {
  const sockets: Socket[] = [];
  for (let n = 0; n < 30; n++) sockets.push(await silent('127.0.0.7'));
  await vi.waitFor(() => expect(sockets.filter(({ destroyed }) => !destroyed)).toHaveLength(8), { timeout: 20_000 });
  expect((await fetch(`http://127.0.0.1:${new URL(api.url).port}/healthz`)).status).toBe(200);
});
