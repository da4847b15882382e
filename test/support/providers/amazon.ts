import { readFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import tls, { type ConnectionOptions, type TLSSocket } from 'node:tls';
import { vi } from 'vitest';
import { bodyOf, startHttpServer } from '../system/http-server.ts';
import { tempFolder } from '../system/temp-folder.ts';
import { makeCertificate, startTlsProxy } from '../system/tls-proxy.ts';

/** A request to Amazon, before it is passed on. */
export interface AmazonRequest {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Of the role that was assumed; empty for the service's own identity. */
  readonly sessionToken: string;
}

/** Such as 400 `ExpiredToken`. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
}

export interface Amazon {
  /** What came, with the status of its answer once there is one. */
  readonly requests: (AmazonRequest & { status: number | null })[];
  /** Waited for before each request goes on; a refusal is answered in place of that. */
  before: (request: AmazonRequest) => Promise<Refusal | null>;
  close(): Promise<void>;
}

/**
 * Amazon's own addresses in this process lead to an S3 server: connections to them are made to a server of ours instead, which
 * shows a certificate for their names. Nothing of the service is another, and no setting of it could do this. Buckets need a dot
 * in their names, so that they are part of the path.
 */
export async function leadAmazonTo(endpoint: string): Promise<Amazon> {
  const folder = await tempFolder();
  const certificate = await makeCertificate(folder.path, 'DNS:*.eu-central-1.amazonaws.com');
  const authority = await readFile(certificate.authorityFile);
  const { hostname: host, port } = new URL(endpoint);

  const front = await startHttpServer(async (incoming, response) => {
    const seen = { ...read(incoming), status: null as number | null };
    amazon.requests.push(seen);
    const refusal = await amazon.before(seen);
    if (refusal !== null) {
      await bodyOf(incoming);
      seen.status = refusal.status;
      response.writeHead(refusal.status, { 'content-type': 'application/xml' }).end(`<Error><Code>${refusal.code}</Code></Error>`);
      return;
    }
    const { expect: _, ...headers } = incoming.headers;
    const onward = httpRequest({ host, port, method: incoming.method, path: incoming.url, headers, agent: false }, (answer) => {
      seen.status = answer.statusCode!;
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  });
  const proxy = await startTlsProxy(certificate);
  proxy.upstream = front.url;
  const { connect } = tls;
  const spy = vi.spyOn(tls, 'connect').mockImplementation(((options: ConnectionOptions, ...more: []): TLSSocket => {
    if (!options.host?.endsWith('.amazonaws.com')) return connect(options, ...more);
    return connect(
      { ...options, servername: options.host, host: '127.0.0.1', port: Number(new URL(proxy.url).port), ca: authority },
      ...more,
    );
  }) as typeof tls.connect);

  const amazon: Amazon = {
    requests: [],
    before: async () => null,
    async close() {
      spy.mockRestore();
      await proxy.close();
      await front.close();
      await folder.remove();
    },
  };
  return amazon;
}

function read({ method = '', url = '/', headers }: IncomingMessage): AmazonRequest {
  const { pathname, searchParams } = new URL(url, 'http://amazon');
  return {
    method,
    host: headers.host ?? '',
    path: pathname,
    query: searchParams,
    sessionToken: String(headers['x-amz-security-token'] ?? ''),
  };
}
