import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { afterEach, expect, it, vi } from 'vitest';
import { probePeer } from '#service/http/peer-probe.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** A request that waits for its answer, seen from the server. */
async function waitingCall(): Promise<{ readonly response: ServerResponse; readonly socket: Socket; end(): void }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = request({ port: (server.address() as AddressInfo).port }).on('error', () => undefined);
  asked.end();
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  return {
    response,
    socket: response.socket!,
    end() {
      asked.destroy();
      server.close();
    },
  };
}

it.each([
  ['ETIMEDOUT', true],
  ['EHOSTUNREACH', true],
  ['ECONNRESET', false],
])('tells a machine that is gone from a program that has ended: %s', async (code, lost) => {
  const asks = vi.spyOn(Socket.prototype, 'setKeepAlive');
  const { response, socket, end } = await waitingCall();
  const isLost = probePeer({ raw: response } as FastifyReply);
  // So long, in milliseconds, that it is noticed well within the 10 s of contract/gateways.md §2.
  expect(asks).toHaveBeenLastCalledWith({ enable: true, initialDelay: 3_000, interval: 1_000, count: 3 });
  expect(isLost()).toBe(false);
  const closed = once(response, 'close');
  socket.on('error', () => undefined);
  socket.destroy(Object.assign(new Error('gone'), { code }));
  await closed;
  expect(isLost()).toBe(lost);
  end();
});
