import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { reasonOf } from './diagnosis.ts';

const timeoutMilliseconds = 5_000;

/** Opens a connection to a server, with TLS where its address says so, and sends nothing. Null if that works, else why not. */
export async function reach(url: URL): Promise<string | null> {
  const { error } = await connectTo(url, () => undefined);
  return error;
}

/** When the certificate ends that a server shows; null where it has none that is good, or none at all. */
export async function certificateEnd(url: URL): Promise<Date | null> {
  if (url.protocol !== 'https:') return null;
  const { found } = await connectTo(url, (socket) => new Date((socket as TLSSocket).getPeerCertificate().valid_to));
  return found ?? null;
}

async function connectTo<T>(url: URL, look: (socket: Socket) => T): Promise<{ readonly error: string | null; readonly found?: T }> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isTls = url.protocol === 'https:';
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const { promise, resolve } = Promise.withResolvers<{ readonly error: string | null; readonly found?: T }>();
  const socket = isTls ? connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }) }) : connectSocket({ host, port });
  socket.setTimeout(timeoutMilliseconds, () => resolve({ error: `it did not answer within ${timeoutMilliseconds / 1_000} s` }));
  socket.once('error', (error) => resolve({ error: reasonOf(error) }));
  socket.once(isTls ? 'secureConnect' : 'connect', () => resolve({ error: null, found: look(socket) }));
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}
