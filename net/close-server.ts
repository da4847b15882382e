import { once } from 'node:events';
import type { Server } from 'node:http';

/** Connections that the server accepted and does not count as its own any more. */
interface OtherConnections {
  /** Closes those that wait for a request. */
  closeIdle(): void;
  closeAll(): void;
}

/** A connection becomes idle when its request ends. Idle ones are closed at this interval, since each keeps the server open. */
const checkMilliseconds = 50;

/** Stops accepting connections, lets requests in progress finish for `drainMilliseconds`, then cuts them off. */
export async function closeServer(server: Server, drainMilliseconds: number, others?: OtherConnections): Promise<void> {
  if (!server.listening) return;
  const closeIdle = (): void => {
    others?.closeIdle();
    server.closeIdleConnections();
  };
  const closed = once(server, 'close');
  server.close();
  closeIdle();
  const idle = setInterval(closeIdle, checkMilliseconds);
  const cut = setTimeout(() => {
    others?.closeAll();
    server.closeAllConnections();
  }, drainMilliseconds);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}
