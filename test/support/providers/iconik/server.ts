import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenLocally } from '../local-server.ts';
import { checkAddress } from './addresses.ts';
import { assetRoutes } from './asset-routes.ts';
import { fileRoutes } from './file-routes.ts';
import { answerGcs } from './gcs-bucket.ts';
import type { Body } from './routes.ts';
import { answerS3, type BucketAnswer } from './s3-bucket.ts';
import { BucketError, createWorld, type Fault, IconikApiError, type SeenRequest, type World } from './world.ts';

export interface IconikServer {
  readonly world: World;
  /** Origin of everything. */
  readonly endpoint: string;
  close(): Promise<void>;
}

interface Exchange {
  readonly world: World;
  readonly origin: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly seen: SeenRequest;
  readonly fault: Fault | undefined;
}

/** iconik as far as `providers/iconik` uses it, and the buckets behind it, over HTTP. RULES.md says where each rule is documented. */
export async function startIconikServer(): Promise<IconikServer> {
  const world = createWorld();
  return { world, ...(await listenLocally((request, response) => void serve(world, request, response))) };
}

async function serve(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const origin = `http://${request.headers.host}`;
  const url = new URL(request.url ?? '/', origin);
  const seen: SeenRequest = { method: request.method ?? '', path: url.pathname, query: url.searchParams, headers: request.headers };
  world.requests.push(seen);
  const fault = world.fault(seen);
  const exchange: Exchange = { world, origin, request, response, seen, fault };
  const isApi = seen.path.startsWith('/API/');
  try {
    if (fault?.kind === 'answer') {
      for (const [name, value] of Object.entries(fault.headers ?? {})) response.setHeader(name, value);
      throw isApi ? new IconikApiError(fault.status, 'A fault on purpose.') : new BucketError(fault.status, fault.code ?? 'InternalError');
    }
    send(exchange, isApi ? await answerApi(exchange) : await answerBucket(exchange));
  } catch (error) {
    if (!(error instanceof IconikApiError || error instanceof BucketError)) return void request.socket.destroy();
    request.resume();
    send(exchange, refusalOf(error));
  }
}

const refusalOf = (error: IconikApiError | BucketError): BucketAnswer =>
  error instanceof IconikApiError
    ? { status: error.status, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ errors: [error.message] }) }
    : {
        status: error.status,
        headers: { 'content-type': 'application/xml' },
        body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${error.code}</Code><Message>${error.message}</Message></Error>`,
      };

function send({ request, response, fault }: Exchange, { status, headers = {}, body = '' }: BucketAnswer): void {
  if (fault?.kind === 'lose-answer') return void request.socket.destroy();
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

async function answerApi({ world, origin, request, seen }: Exchange): Promise<BucketAnswer> {
  const { method, path, query, headers } = seen;
  const { applicationId, token, roles } = world.account;
  if (headers['app-id'] !== applicationId || headers['auth-token'] !== token) throw new IconikApiError(401, 'Token is invalid');
  const below = path.slice('/API'.length);
  for (const route of [...assetRoutes, ...fileRoutes]) {
    const match = route.method === method ? route.path.exec(below) : null;
    if (!match) continue;
    if (!roles.has(route.role)) throw new IconikApiError(403, 'Permission denied');
    const [status, body] = route.answer({ world, origin, ids: match.slice(1), query, body: bodyIn(await buffer(request)) });
    return { status, headers: { 'content-type': 'application/json' }, body: body === null ? '' : JSON.stringify(body) };
  }
  throw new IconikApiError(404, 'Not Found');
}

function bodyIn(bytes: Buffer): Body {
  if (bytes.length === 0) return {};
  try {
    return JSON.parse(bytes.toString()) as Body;
  } catch {
    throw new IconikApiError(400, 'Invalid JSON');
  }
}

async function answerBucket({ world, request, seen, fault }: Exchange): Promise<BucketAnswer> {
  if (seen.path.startsWith('/gcs/')) return await answerGcs(world, seen, request, fault);
  checkAddress(world, seen);
  return answerS3(world, seen, await buffer(request), fault);
}
