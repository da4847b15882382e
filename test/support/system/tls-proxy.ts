import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A certificate, and the file of the authority that signed it, which nobody trusts of themselves. */
export interface Certificate {
  readonly key: Buffer;
  readonly cert: Buffer;
  readonly authorityFile: string;
}

/** Makes an authority and a certificate of it, by `openssl`, in a folder. `names`: whose it is, as OpenSSL writes them. */
export async function makeCertificate(folder: string, names = 'IP:127.0.0.1'): Promise<Certificate> {
  const at = (name: string) => join(folder, name);
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  await writeFile(at('leaf.ext'), `subjectAltName=${names}\nbasicConstraints=CA:FALSE\n`);
  const authority = ['-x509', '-subj', '/CN=An authority of ours', '-keyout', at('ca.key'), '-out', at('ca.pem')];
  await run('openssl', ['req', ...fresh, ...authority]);
  await run('openssl', ['req', ...fresh, '-subj', '/CN=127.0.0.1', '-keyout', at('leaf.key'), '-out', at('leaf.csr')]);
  const signer = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial'];
  await run('openssl', [
    'x509',
    '-req',
    '-in',
    at('leaf.csr'),
    ...signer,
    '-days',
    '2',
    '-extfile',
    at('leaf.ext'),
    '-out',
    at('leaf.pem'),
  ]);
  return { key: await readFile(at('leaf.key')), cert: await readFile(at('leaf.pem')), authorityFile: at('ca.pem') };
}

export interface TlsProxy {
  /** `https://…` */
  readonly url: string;
  /** `http://…`, where what comes in goes; set once that is up. */
  upstream: string;
  /** Connections that were made with TLS, which is to say by somebody who trusts the certificate. */
  connections(): number;
  close(): Promise<void>;
}

/** Takes TLS off, and passes all else on as it is. */
export async function startTlsProxy({ key, cert }: Certificate): Promise<TlsProxy> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ key, cert }, (client) => {
    connections += 1;
    const { hostname, port } = new URL(proxy.upstream);
    const inner = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, inner],
      [inner, client],
    ] as const) {
      sockets.add(one);
      one.on('close', () => sockets.delete(one));
      one.on('error', () => other.destroy());
      one.pipe(other);
    }
  });
  // Who does not trust the certificate hangs up in the middle of the greeting.
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: TlsProxy = {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    upstream: '',
    connections: () => connections,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
