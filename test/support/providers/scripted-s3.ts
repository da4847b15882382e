import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CloudProvider, ProviderEnvironment } from '#providers/ports.ts';
import { type S3Config, s3Config } from '#providers/s3/config.ts';
import type { RequestHandlerOptions } from '#providers/s3/request-handler.ts';
import { createS3Provider } from '#providers/s3/s3-provider.ts';

/** A bucket whose server answers by a script: what no well-behaved server can be made to do. */

export type Answer = (request: IncomingMessage, response: ServerResponse, query: URLSearchParams) => unknown;

export const never = new AbortController().signal;
const open: (() => Promise<void> | void)[] = [];
/** Closes all that was opened; for `afterEach`. */
export async function closeScripted(): Promise<void> {
  for (const close of open.splice(0).reverse()) await close();
}

export async function serve(answer: Answer, checkContinue?: Answer): Promise<string> {
  const server = createServer();
  const handle = (answers: Answer) => async (request: IncomingMessage, response: ServerResponse) => {
    await answers(request, response, new URL(request.url ?? '', 'http://x').searchParams);
    request.resume();
  };
  server.on('request', handle(answer));
  if (checkContinue) server.on('checkContinue', handle(checkContinue));
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const authorization = {
  client_id: 'AKIDTEST',
  client_secret: 'sesame-opens',
  destination: 'bucket',
  region: 'eu-central-1',
  force_s3_path_style: 'true',
};

export function providerAt(
  endpoint: string,
  change: Partial<S3Config> = {},
  environment: Partial<ProviderEnvironment> = {},
  options: RequestHandlerOptions = {},
): CloudProvider {
  const config = { ...s3Config('minio_s3', { ...authorization, endpoint }), ...change };
  const provider = createS3Provider(
    config,
    { mayConnect: () => true, now: () => new Date(), ...environment },
    { continueMilliseconds: 20, ...options },
  );
  open.push(() => provider.close());
  return provider;
}

export const error = (response: ServerResponse, status: number, code: string, headers: Record<string, string> = {}, more = '') =>
  response
    .writeHead(status, { 'content-type': 'application/xml', ...headers })
    .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>sesame-opens</Message>${more}</Error>`);
export const xml = (response: ServerResponse, body: string) =>
  response.writeHead(200, { 'content-type': 'application/xml' }).end(`<?xml version="1.0" encoding="UTF-8"?>${body}`);
export const emptyList = (response: ServerResponse) =>
  xml(response, '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>');
export const list = (provider: CloudProvider) => provider.list({ folder: '', count: 1 }, never);
