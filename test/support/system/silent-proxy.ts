import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';

/** Passes on bytes from a port of its own to another, until it is silent: connections stay, and nothing comes any more. */
export interface SilentProxy {
  readonly port: number;
  beSilent(): void;
  close(): Promise<void>;
}

export async function startSilentProxy(to: NetConnectOpts): Promise<SilentProxy> {
  const sockets = new Set<Socket>();
  let isSilent = false;
  // Ends are passed on by `pipe` alone, so that none is while it is silent.
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ ...to, allowHalfOpen: true });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    }
    if (isSilent) return;
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    beSilent() {
      isSilent = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
