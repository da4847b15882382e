import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface AwayStorage {
  readonly url: string;
  /** Objects and parts that the storage has taken, by path, upload and number; in the order of its answers. */
  stored(): readonly string[];
  /** Resolves as soon as it has taken so many. */
  passed(count: number): Promise<void>;
  /** Cuts every connection, and answers nobody until it comes back. */
  leave(): void;
  comeBack(): void;
  close(): Promise<void>;
}

/** Stands before an S3, whose signatures name this address. */
export async function startAwayStorage(upstream: string): Promise<AwayStorage> {
  const stored: string[] = [];
  const sockets = new Set<Socket>();
  const waiters = new Set<() => void>();
  let isAway = false;
  const server = createServer((request, response) => {
    const { method, url = '/', headers } = request;
    const onward = httpRequest(upstream + url, { method, headers, setHost: false, agent: false }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
      if (method !== 'PUT' || answer.statusCode !== 200) return;
      const { pathname, searchParams } = new URL(url, upstream);
      stored.push(`${pathname} ${searchParams.get('uploadId')} ${searchParams.get('partNumber')}`);
      for (const waiter of waiters) waiter();
    });
    onward.on('error', () => response.destroy());
    request.on('error', () => onward.destroy());
    request.pipe(onward);
  });
  server.on('connection', (socket) => {
    if (isAway) return void socket.destroy();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stored: () => stored,
    passed: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (stored.length < count) return;
          waiters.delete(look);
          resolve();
        };
        waiters.add(look);
        look();
      }),
    leave() {
      isAway = true;
      cut();
    },
    comeBack() {
      isAway = false;
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
