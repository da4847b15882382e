import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';

const timeoutMilliseconds = 5_000;

/** Opens a connection to a server, with TLS where its address says so, and sends nothing. Rejects with what it failed of. */
export const reach = (url: URL): Promise<void> => connectTo(url, () => undefined);

/** When the certificate ends that a server shows; null where it has none that is good, or none at all. */
export async function certificateEnd(url: URL): Promise<Date | null> {
  if (url.protocol !== 'https:') return null;
  return await connectTo(url, (socket) => new Date((socket as TLSSocket).getPeerCertificate().valid_to)).catch(() => null);
}

async function connectTo<T>(url: URL, look: (socket: Socket) => T): Promise<T> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isTls = url.protocol === 'https:';
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const socket = isTls ? connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }) }) : connectSocket({ host, port });
  socket.setTimeout(timeoutMilliseconds, () => reject(new DOMException('No answer came.', 'TimeoutError')));
  socket.once('error', reject);
  socket.once(isTls ? 'secureConnect' : 'connect', () => resolve(look(socket)));
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}
