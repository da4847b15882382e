import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { calls } from './calls.ts';
import { takeUpload } from './pods.ts';
import { authenticate, badRequest, checkPrefix } from './rules.ts';
import { ApiError, createWorld, type Fault, type Host, type SeenRequest, type World } from './world.ts';

export interface B2Server {
  readonly world: World;
  /** Of the host with b2_authorize_account. */
  readonly endpoint: string;
  readonly origins: Readonly<Record<Host, string>>;
  close(): Promise<void>;
}

interface Exchange {
  readonly world: World;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly seen: SeenRequest;
  readonly url: URL;
  readonly fault: Fault | undefined;
  readonly origins: Readonly<Record<Host, string>>;
}

const hosts: readonly Host[] = ['authorize', 'api', 'download', 'pod'];

/** Backblaze B2 as far as `providers/b2` uses its native API, over HTTP, on four hosts. RULES.md says where each rule is documented. */
export async function startB2Server(): Promise<B2Server> {
  const world = createWorld();
  const servers: Server[] = [];
  const origins: Record<string, string> = {};
  for (const host of hosts) {
    const server = createServer((request, response) => void serve(world, host, origins as Record<Host, string>, request, response));
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    origins[host] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    servers.push(server);
  }
  return {
    world,
    endpoint: origins['authorize']!,
    origins: origins as Record<Host, string>,
    async close() {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

async function serve(world: World, host: Host, origins: Record<Host, string>, request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const call = host === 'download' ? 'download' : (/^\/b2api\/v4\/(b2_[a-z_]+)/.exec(url.pathname)?.[1] ?? '');
  const seen: SeenRequest = { host, method: request.method ?? '', call, headers: request.headers, body: {} };
  world.requests.push(seen);
  const fault = world.fault(seen);
  const exchange: Exchange = { world, request, response, seen, url, fault, origins };
  try {
    if (fault?.kind === 'answer') {
      for (const [name, value] of Object.entries(fault.headers ?? {})) response.setHeader(name, value);
      throw new ApiError(fault.status, fault.code ?? 'service_unavailable', 'A fault on purpose.');
    }
    if (host === 'download') answerDownload(exchange);
    else if (host === 'pod') sendJson(exchange, 200, await takeUpload(world, request, url.pathname));
    else if (host === 'authorize') answerAuthorize(exchange);
    else await answerCall(exchange);
  } catch (error) {
    if (!(error instanceof ApiError)) return void request.socket.destroy();
    request.resume();
    sendJson(exchange, error.status, { status: error.status, code: error.code, message: error.message });
  }
}

function sendJson({ request, response, fault }: Exchange, status: number, body: unknown): void {
  if (fault?.kind === 'lose-answer') return void request.socket.destroy();
  if (fault?.kind === 'fail-after') return void response.writeHead(fault.status).end();
  response.writeHead(status, { 'content-type': 'application/json;charset=utf-8' }).end(JSON.stringify(body));
}

function answerAuthorize(exchange: Exchange): void {
  const { world, seen, origins } = exchange;
  if (seen.call !== 'b2_authorize_account') throw new ApiError(404, 'not_found', 'Not Found');
  const given = /^Basic (\S+)$/.exec(String(seen.headers['authorization'] ?? ''))?.[1] ?? '';
  const [id = '', secret = ''] = Buffer.from(given, 'base64').toString().split(':');
  const key = world.keys.get(id);
  if (!key || key.secret !== secret) throw new ApiError(401, 'bad_auth_token', 'Invalid authorization');
  if (key.expires !== null && world.now() >= key.expires) throw new ApiError(401, 'unauthorized', 'Application key has expired');
  const { buckets, namePrefix, capabilities, expires } = key;
  const named = buckets?.map((one) => ({ id: one, name: one === world.bucket.id ? world.bucket.name : 'another-bucket' })) ?? null;
  sendJson(exchange, 200, {
    accountId: world.accountId,
    authorizationToken: world.newToken(key),
    applicationKeyExpirationTimestamp: expires,
    apiInfo: {
      storageApi: {
        absoluteMinimumPartSize: 5_000_000,
        recommendedPartSize: 100_000_000,
        apiUrl: world.addresses.api ?? origins.api,
        downloadUrl: world.addresses.download ?? origins.download,
        s3ApiUrl: world.s3ApiUrl,
        allowed: { buckets: named, capabilities: [...capabilities], namePrefix },
      },
    },
  });
}

async function answerCall(exchange: Exchange): Promise<void> {
  const { world, request, seen, origins } = exchange;
  const call = Object.hasOwn(calls, seen.call) ? calls[seen.call] : undefined;
  if (!call || seen.method !== 'POST') throw new ApiError(404, 'not_found', 'Not Found');
  const key = authenticate(world, seen.call, seen.headers['authorization']);
  let body: unknown;
  try {
    body = JSON.parse((await buffer(request)).toString());
  } catch {
    throw new ApiError(400, 'bad_json', 'The body is no JSON');
  }
  if (typeof body !== 'object' || body === null) throw new ApiError(400, 'bad_json', 'The body is no object');
  seen.body = body as Record<string, unknown>;
  for (const name of Object.keys(body)) if (!call.fields.includes(name)) throw badRequest(`unknown field in ${seen.call}: ${name}`);
  sendJson(exchange, 200, call.run(world, key, seen.body, world.addresses.pod ?? origins.pod));
}

function answerDownload({ world, request, response, seen, url, fault }: Exchange): void {
  const key = authenticate(world, 'download', seen.headers['authorization']);
  const [, bucket, name] = /^\/file\/([^/]+)\/(.+)$/.exec(url.pathname) ?? [];
  if (seen.method !== 'GET' || bucket === undefined) throw new ApiError(404, 'not_found', 'Not Found');
  if (world.reached.has('download')) {
    throw new ApiError(
      403,
      'download_cap_exceeded',
      'Cannot download file, download bandwidth or transaction (Class B) cap exceeded. See the Caps & Alerts page to increase your cap.',
    );
  }
  const fileName = decodeURIComponent(name!);
  checkPrefix(key, fileName);
  const file = decodeURIComponent(bucket) === world.bucket.name ? world.visible(fileName) : undefined;
  if (!file) throw new ApiError(404, 'not_found', `File with such name does not exist.`);
  const { bytes, fileId, contentType, sha1, uploadTimestamp } = file;
  const range = rangeIn(seen.headers['range'], bytes.length);
  const body = range ? bytes.subarray(range.start, range.end + 1) : bytes;
  response.writeHead(range ? 206 : 200, {
    'content-type': contentType,
    'content-length': body.length,
    'x-bz-file-id': fileId,
    'x-bz-file-name': name!,
    'x-bz-content-sha1': sha1 ?? 'none',
    'x-bz-upload-timestamp': String(uploadTimestamp),
    ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${bytes.length}` }),
  });
  if (fault?.kind === 'break-read') response.write(body.subarray(0, fault.bytes), () => request.socket.destroy());
  else response.end(body);
}

function rangeIn(header: string | string[] | undefined, size: number): { readonly start: number; readonly end: number } | null {
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(String(header ?? '')) ?? [];
  if (first === undefined) return null;
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (Number(first) > end) throw new ApiError(416, 'range_not_satisfiable', 'The range cannot be satisfied');
  return { start: Number(first), end };
}
