import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands before an S3, whose signatures name this address. It lets everything through until it holds back what it looks for. */
export interface S3Gate {
  readonly url: string;
  /** What it looks for and has let through, in order, by name. */
  passed(): readonly string[];
  /** How many were on their way as each of those came, itself among them. */
  atOnce(): readonly number[];
  /** How many wait to be allowed. */
  waiting(): number;
  /** From now on they wait until they are allowed; what was before is not counted. */
  hold(): void;
  allow(more: number): void;
  close(): Promise<void>;
}

/** @param nameOf what it looks for; null for all else */
export async function startS3Gate(upstream: string, nameOf: (method: string, url: URL) => string | null): Promise<S3Gate> {
  let passed: { readonly name: string; readonly atOnce: number }[] = [];
  const waiting: (() => void)[] = [];
  let allowed = Number.POSITIVE_INFINITY;
  let underWay = 0;
  const letThrough = (): void => {
    while (allowed > 0 && waiting.length > 0) {
      allowed -= 1;
      waiting.shift()!();
    }
  };
  const server = createServer((request, response) => {
    const { method = 'GET', url = '/', headers } = request;
    const pass = (): void => {
      const onward = httpRequest(upstream + url, { method, headers, setHost: false, agent: false }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy());
      request.on('error', () => onward.destroy());
      request.pipe(onward);
    };
    const name = nameOf(method, new URL(url, upstream));
    if (name === null) return pass();
    underWay += 1;
    const atOnce = underWay;
    response.once('close', () => {
      underWay -= 1;
    });
    waiting.push(() => {
      passed.push({ name, atOnce });
      pass();
    });
    letThrough();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed: () => passed.map(({ name }) => name),
    atOnce: () => passed.map(({ atOnce }) => atOnce),
    waiting: () => waiting.length,
    hold() {
      allowed = 0;
      passed = [];
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

/** A file's object that is read. */
export function readOfFile(method: string, { pathname, searchParams }: URL): string | null {
  const [, , key = ''] = pathname.split('/');
  return method === 'GET' && /^[0-9a-f-]{36}$/.test(key) && !searchParams.has('uploadId') ? key : null;
}

/** A part of a multipart upload. */
export const partOfUpload = (method: string, { searchParams }: URL): string | null =>
  method === 'PUT' ? searchParams.get('partNumber') : null;
