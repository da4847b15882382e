import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface TestServer {
  readonly url: string;
  /** Requests that came, as `METHOD path`. */
  readonly requests: string[];
  /** TCP connections that were ever opened. */
  readonly connections: () => number;
  close(): Promise<void>;
}

/** A real server on 127.0.0.1 that does with each request what the test says. */
export async function startHttpServer(
  handle: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
): Promise<TestServer> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let opened = 0;
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    // Tests cut connections: what a handler was doing then is of no interest.
    response.on('error', () => {});
    request.on('error', () => {});
    void Promise.resolve(handle(request, response)).catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    opened++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    connections: () => opened,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** All of a request's body. */
export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
