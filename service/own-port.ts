import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Agent } from 'undici';
import { createIsProxy } from '#net/client-address.ts';

/** Those who begin connections with a header of the PROXY protocol; null where nobody does. */
export type IsProxy = ((address: string) => boolean) | null;

export const headersOf = (
  { trustProxy, proxyProtocol }: { readonly trustProxy?: string; readonly proxyProtocol?: 'api' | 'storage' | 'all' },
  port: 'api' | 'storage',
): IsProxy => (proxyProtocol === port || proxyProtocol === 'all' ? createIsProxy(trustProxy) : null);

/** A proxy's own connection, for nobody behind it. */
const ownHeader = 'PROXY UNKNOWN\r\n';
const patienceMilliseconds = 5_000;

/**
 * For requests to a port of ours on this machine. This machine may be a trusted proxy's: then the port takes nothing that does
 * not begin with a header. Of the certificate nothing is asked, since it is for the outside name.
 */
export const ownPortAgent = (isProxy: IsProxy): Agent =>
  new Agent({
    keepAliveTimeout: 1_000,
    connect({ hostname, port, protocol }, callback) {
      const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), noDelay: true });
      const fail = (error: Error): void => {
        socket.destroy();
        callback(error, null);
      };
      socket.setTimeout(patienceMilliseconds, () => socket.destroy(new DOMException('No answer came.', 'TimeoutError')));
      socket.once('error', fail);
      socket.once('connect', () => {
        if (isProxy?.(socket.localAddress ?? '')) socket.write(ownHeader);
        const ready = protocol === 'https:' ? connectTls({ socket, rejectUnauthorized: false }) : socket;
        const done = (): void => {
          socket.off('error', fail).setTimeout(0);
          ready.off('error', fail);
          callback(null, ready);
        };
        if (ready === socket) return done();
        socket.off('error', fail);
        ready.once('error', fail);
        ready.once('secureConnect', done);
      });
    },
  });
