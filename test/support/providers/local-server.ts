import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

interface LocalServer {
  /** `http://127.0.0.1:{port}`. */
  readonly endpoint: string;
  /** Ends open connections too. */
  close(): Promise<void>;
}

/** A server of a test's own, at a free port of this machine alone. */
export async function listenLocally(serve: RequestListener): Promise<LocalServer> {
  const server = createServer(serve);
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
