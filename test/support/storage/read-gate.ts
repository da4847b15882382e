import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands before an S3, whose signatures name this address. It lets everything through until it holds reads of files back. */
export interface ReadGate {
  readonly url: string;
  /** Keys of the files that were read, in order; those that wait are not among them. */
  reads(): readonly string[];
  /** From now on reads wait until they are allowed; those from before are not counted. */
  hold(): void;
  allow(more: number): void;
  close(): Promise<void>;
}

export async function startReadGate(upstream: string): Promise<ReadGate> {
  let read: string[] = [];
  const waiting: (() => void)[] = [];
  let allowed = Number.POSITIVE_INFINITY;
  const letThrough = (): void => {
    while (allowed > 0 && waiting.length > 0) {
      allowed -= 1;
      waiting.shift()!();
    }
  };
  const server = createServer((request, response) => {
    const { method, url = '/', headers } = request;
    const pass = (): void => {
      const onward = httpRequest(upstream + url, { method, headers, setHost: false, agent: false }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy());
      request.on('error', () => onward.destroy());
      request.pipe(onward);
    };
    const key = method === 'GET' && keyOf(url);
    if (!key) return pass();
    waiting.push(() => {
      read.push(key);
      pass();
    });
    letThrough();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reads: () => read,
    hold() {
      allowed = 0;
      read = [];
    },
    allow(more) {
      allowed += more;
      letThrough();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Of a file's object; null of all else that is asked for. */
function keyOf(url: string): string | null {
  const { pathname, searchParams } = new URL(url, 'http://s3');
  const [, , key = ''] = pathname.split('/');
  return /^[0-9a-f-]{36}$/.test(key) && !searchParams.has('uploadId') ? key : null;
}
