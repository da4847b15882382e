import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

/** A body that is too large is answered before its end. Whoever sends it, and however, reads that answer. */

let t: TestService;
beforeAll(async () => {
  t = await startTestService();
});
afterAll(() => t?.close());

const MiB = 1024 * 1024;
const path = () => `/v1/teams/${t.teamId}/api_keys`;
const tooLarge = { code: 65540, message: expect.stringContaining(String(limits.bodyBytes)) };

/** A connection to the service with all that it has said, and whether it ended in order. */
function dial() {
  const { hostname, port } = new URL(t.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const heard = { text: '', error: null as Error | null };
  socket.on('data', (bytes: Buffer) => {
    heard.text += bytes.toString();
  });
  socket.on('error', (error) => {
    heard.error = error;
  });
  return { socket, heard, ended: once(socket, 'end') };
}

const head = (lines: readonly string[], credential = `x-user-token: ${t.userToken}`) =>
  [`POST ${path()} HTTP/1.1`, 'host: x', credential, 'content-type: application/json', ...lines, '', ''].join('\r\n');

/** Writes as fast as the other side takes it. */
async function write(socket: Socket, bytes: string | Buffer): Promise<void> {
  if (!socket.write(bytes)) await once(socket, 'drain');
}

function expectTooLarge(text: string): void {
  expect(text).toMatch(/^HTTP\/1\.1 413 /);
  expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4))).toMatchObject(tooLarge);
}

describe('a body that is too large', () => {
  it.each([limits.bodyBytes + 1, 5 * MiB, 64 * MiB])('of %i bytes is 413 to a sender who reads only when all is sent', async (size) => {
    const { socket, heard, ended } = dial();
    socket.pause();
    await write(socket, head([`content-length: ${size}`]));
    const piece = Buffer.alloc(MiB / 4, 'x');
    for (let sent = 0; sent < size; sent += piece.length) await write(socket, piece.subarray(0, Math.min(piece.length, size - sent)));
    socket.resume();
    await ended;
    expectTooLarge(heard.text);
    socket.end();
    await once(socket, 'close');
    expect(heard.error).toBeNull();
  });

  it('in chunks is 413 as soon as it is too large, and what was on its way is taken', async () => {
    const { socket, heard, ended } = dial();
    socket.pause();
    await write(socket, head(['transfer-encoding: chunked']));
    const chunk = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`);
    for (let sent = 0; sent < 8 * MiB; sent += 65_536) {
      await write(socket, chunk);
      await turn();
    }
    await write(socket, '0\r\n\r\n');
    socket.resume();
    await ended;
    expectTooLarge(heard.text);
    socket.end();
    await once(socket, 'close');
    expect(heard.error).toBeNull();
  });

  it('that is sent slowly is answered 413 at once, and the rest is read and discarded', async () => {
    const { socket, heard, ended } = dial();
    await write(socket, head(['content-length: 6000000']));
    await ended;
    expectTooLarge(heard.text);
    for (let pieces = 0; pieces < 60; pieces++) {
      await write(socket, Buffer.alloc(100_000, 'x'));
      await turn();
    }
    socket.end();
    await once(socket, 'close');
    expect(heard.error).toBeNull();
  });

  it('with Expect: 100-continue is refused without a 100', async () => {
    const { socket, heard, ended } = dial();
    await write(socket, head(['content-length: 6000000', 'expect: 100-continue']));
    await ended;
    expectTooLarge(heard.text);
    socket.end();
    const small = dial();
    const body = JSON.stringify({ name: 'Asked', state: 'active' });
    await write(small.socket, head([`content-length: ${body.length}`, 'expect: 100-continue', 'connection: close']));
    await once(small.socket, 'data');
    expect(small.heard.text).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    await write(small.socket, body);
    await small.ended;
    expect(small.heard.text.slice('HTTP/1.1 100 Continue\r\n\r\n'.length)).toMatch(/^HTTP\/1\.1 201 /);
    small.socket.end();
  });

  it('is 413 to undici, with a length and in a stream, on connections that are kept', async () => {
    const dispatcher = new Agent({ connections: 1 });
    const headers = { 'x-user-token': t.userToken, 'content-type': 'application/json' };
    const pieces = function* () {
      for (let sent = 0; sent < 12 * MiB; sent += 65_536) yield Buffer.alloc(65_536, 'x');
    };
    try {
      for (let times = 0; times < 5; times++) {
        for (const body of [Buffer.alloc(12 * MiB, 'x'), Readable.from(pieces())]) {
          const answer = await request(t.url + path(), { method: 'POST', headers, body, dispatcher });
          expect([answer.statusCode, await answer.body.json()]).toEqual([413, tooLarge]);
        }
        const fine = await request(t.url + path(), {
          method: 'POST',
          headers,
          body: JSON.stringify({ name: 'Fine', state: 'active' }),
          dispatcher,
        });
        expect(fine.statusCode).toBe(201);
        await fine.body.dump();
      }
    } finally {
      await dispatcher.close();
    }
  });

  it('of somebody without a credential is 401, as readable', async () => {
    const { socket, heard } = dial();
    socket.pause();
    await write(socket, head(['content-length: 6000000', 'connection: close'], 'x-nobody: 1'));
    for (let sent = 0; sent < 60; sent++) await write(socket, Buffer.alloc(100_000, 'x'));
    socket.resume();
    await once(socket, 'end');
    expect(heard.text).toMatch(/^HTTP\/1\.1 401 /);
    socket.end();
    await once(socket, 'close');
    expect(heard.error).toBeNull();
  });
});
