import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenLocally } from '../local-server.ts';
import { listObjects, objectNamed, rangeIn, selected, testPermissions } from './objects.ts';
import {
  checkAlive,
  checkDigests,
  checkGeneration,
  checkName,
  checkOverwrite,
  putToSession,
  requirePermission,
  startSession,
} from './sessions.ts';
import { exchangeToken } from './token-endpoint.ts';
import { ApiError, createWorld, type Fault, type ObjectResource, resourceOf, type SeenRequest, type World } from './world.ts';

export interface GcsServer {
  readonly world: World;
  /** Origin of the JSON API. */
  readonly endpoint: string;
  readonly tokenUrl: string;
  close(): Promise<void>;
}

interface Exchange {
  readonly world: World;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly seen: SeenRequest;
  readonly fault: Fault | undefined;
}

/** Google Cloud Storage as far as `providers/gcs` uses it, over HTTP. RULES.md says where each rule is documented. */
export async function startGcsServer(): Promise<GcsServer> {
  const world = createWorld();
  const server = await listenLocally((request, response) => void serve(world, request, response));
  return { world, ...server, tokenUrl: `${server.endpoint}/token` };
}

async function serve(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const seen: SeenRequest = { method: request.method ?? '', path: url.pathname, query: url.searchParams, headers: request.headers };
  world.requests.push(seen);
  response.setHeader('date', world.now().toUTCString());
  const fault = world.fault(seen);
  const exchange: Exchange = { world, request, response, seen, fault };
  try {
    if (fault?.kind === 'answer') {
      for (const [name, value] of Object.entries(fault.headers ?? {})) response.setHeader(name, value);
      throw new ApiError(fault.status, fault.reason ?? 'backendError', 'A fault on purpose.');
    }
    if (seen.path === '/token') await answerToken(exchange);
    else await answer(exchange);
  } catch (error) {
    if (!(error instanceof ApiError)) return void request.socket.destroy();
    request.resume();
    const body = {
      error: { code: error.status, message: error.message, errors: [{ message: error.message, domain: 'global', reason: error.reason }] },
    };
    sendJson(exchange, error.status, body);
  }
}

function sendJson(
  { request, response, fault }: Exchange,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (fault?.kind === 'lose-answer') return void request.socket.destroy();
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...headers });
  response.end(body === null ? '' : JSON.stringify(body));
}

async function answerToken(exchange: Exchange): Promise<void> {
  const { request, seen, world } = exchange;
  if (seen.method !== 'POST') throw new ApiError(404, 'notFound', 'Not Found');
  const { status, body } = await exchangeToken(world, String(seen.headers['content-type'] ?? ''), (await buffer(request)).toString());
  sendJson(exchange, status, body);
}

/** Refuses a request without a token that is good. */
function authenticate({ world, seen }: Exchange): void {
  const token = /^Bearer (\S+)$/.exec(String(seen.headers['authorization'] ?? ''))?.[1];
  const end = token === undefined ? undefined : world.tokens.get(token);
  if (end === undefined || end <= world.now().getTime()) throw new ApiError(401, 'authError', 'Invalid Credentials');
}

async function answer(exchange: Exchange): Promise<void> {
  const { world, seen } = exchange;
  const { path, query, method } = seen;
  const match = /^(\/upload)?\/storage\/v1\/b\/([^/]+)\/(o|iam\/testPermissions)(?:\/([^/]+))?$/.exec(path);
  if (!match) throw new ApiError(404, 'notFound', 'Not Found');
  const [, upload, bucket, what, object] = match;
  const session = query.get('upload_id');
  // The address is the authority: no token is asked for.
  if (upload && session !== null) return await answerSession(exchange, session);
  authenticate(exchange);
  if (decodeURIComponent(bucket!) !== world.bucket) throw new ApiError(404, 'notFound', 'The specified bucket does not exist.');
  if (what !== 'o') return sendJson(exchange, 200, testPermissions(world, query.getAll('permissions')));
  if (upload && method === 'POST') return await answerUpload(exchange);
  if (object === undefined) {
    if (method !== 'GET') throw new ApiError(405, 'methodNotAllowed', 'Method Not Allowed');
    requirePermission(world, 'storage.objects.list');
    return sendJson(exchange, 200, listObjects(world, query));
  }
  answerObject(exchange, decodeURIComponent(object));
}

function answerObject(exchange: Exchange, name: string): void {
  const { world, seen, response, fault, request } = exchange;
  const { method, query } = seen;
  requirePermission(world, method === 'DELETE' ? 'storage.objects.delete' : 'storage.objects.get');
  const object = objectNamed(world, name);
  checkGeneration(world, name, query.get('ifGenerationMatch'));
  if (method === 'DELETE') {
    world.objects.delete(name);
    sendJson(exchange, 204, null);
    return;
  }
  if (method !== 'GET') throw new ApiError(405, 'methodNotAllowed', 'Method Not Allowed');
  if (query.get('alt') !== 'media') {
    sendJson(exchange, 200, selected(resourceOf(world, object), query.get('fields')));
    return;
  }
  const { bytes, generation, contentType } = object;
  const range = rangeIn(seen.headers['range'] as string | undefined, bytes.length);
  const body = range ? bytes.subarray(range.start, range.end + 1) : bytes;
  response.writeHead(range ? 206 : 200, {
    'content-type': contentType,
    'content-length': body.length,
    'x-goog-generation': generation,
    ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${bytes.length}` }),
  });
  if (fault?.kind === 'break-read') response.write(body.subarray(0, fault.bytes), () => request.socket.destroy());
  else response.end(body);
}

async function answerUpload(exchange: Exchange): Promise<void> {
  const { world, request, seen } = exchange;
  const { query, headers } = seen;
  requirePermission(world, 'storage.objects.create');
  if (query.has('predefinedAcl')) throw new ApiError(400, 'invalid', 'Cannot use ACL API with uniform bucket-level access.');
  const body = await buffer(request);
  const type = String(headers['content-type'] ?? '');
  const generation = query.get('ifGenerationMatch');
  if (query.get('uploadType') === 'resumable') {
    const fallback = String(headers['x-upload-content-type'] ?? 'application/octet-stream');
    const resource = resourceIn(body.toString(), query.get('name'), fallback);
    checkGeneration(world, resource.name, generation);
    checkOverwrite(world, resource.name);
    const { id } = startSession(world, resource, headers['x-upload-content-length'] as string | undefined, generation);
    const location = `http://${headers['host']}${seen.path}?uploadType=resumable&upload_id=${id}`;
    return sendJson(exchange, 200, null, { location });
  }
  if (query.get('uploadType') !== 'multipart') throw new ApiError(400, 'invalid', 'Invalid uploadType');
  const boundary = /^multipart\/related; boundary=(\S+)$/.exec(type)?.[1];
  if (boundary === undefined) throw new ApiError(400, 'badContent', 'Unsupported content with type.');
  const [described, media] = multipart(body, boundary);
  const resource = resourceIn(described.bytes.toString(), query.get('name'), media.type);
  checkDigests(media.bytes, { crc32c: resource.crc32c, md5: resource.md5Hash });
  checkGeneration(world, resource.name, generation);
  checkOverwrite(world, resource.name);
  sendJson(exchange, 200, resourceOf(world, world.store(resource, media.bytes)));
}

function resourceIn(json: string, nameInQuery: string | null, contentType: string): ObjectResource {
  let given: Partial<ObjectResource>;
  try {
    given = (json === '' ? {} : JSON.parse(json)) as Partial<ObjectResource>;
  } catch {
    throw new ApiError(400, 'parseError', 'Parse Error');
  }
  const name = given.name ?? nameInQuery ?? '';
  if (nameInQuery !== null && nameInQuery !== name)
    throw new ApiError(400, 'invalid', 'The name in the body does not agree with the query.');
  checkName(name);
  for (const value of Object.values(given.metadata ?? {})) {
    if (typeof value !== 'string') throw new ApiError(400, 'invalid', 'Metadata values must be strings.');
  }
  return { contentType, metadata: {}, ...given, name };
}

interface MultipartPiece {
  readonly type: string;
  readonly bytes: Buffer;
}

/** The two pieces of a multipart/related body (RFC 2387): the metadata and the bytes. */
function multipart(body: Buffer, boundary: string): [MultipartPiece, MultipartPiece] {
  const malformed = () => new ApiError(400, 'badContent', 'Malformed multipart body.');
  const pieces: MultipartPiece[] = [];
  let at = body.indexOf(`--${boundary}\r\n`);
  while (at !== -1) {
    const headEnd = body.indexOf('\r\n\r\n', at);
    const end = body.indexOf(`\r\n--${boundary}`, headEnd + 2);
    if (headEnd === -1 || end === -1) throw malformed();
    const type = /content-type: *([^\r\n]+)/i.exec(body.subarray(at, headEnd).toString())?.[1] ?? '';
    pieces.push({ type, bytes: body.subarray(headEnd + 4, Math.max(end, headEnd + 4)) });
    const following = body.subarray(end + 2);
    at = following.subarray(0, boundary.length + 4).equals(Buffer.from(`--${boundary}--`)) ? -1 : end + 2;
  }
  const [described, media] = pieces;
  if (pieces.length !== 2 || !described || !media || !described.type.startsWith('application/json')) throw malformed();
  return [described, media];
}

async function answerSession(exchange: Exchange, id: string): Promise<void> {
  const { world, request, response, seen, fault } = exchange;
  const session = world.sessions.get(id);
  checkAlive(world, session);
  if (seen.method === 'DELETE') {
    if (session.state === 'complete') throw new ApiError(400, 'invalid', 'The upload is complete.');
    session.state = 'cancelled';
    session.kept = Buffer.alloc(0);
    throw new ApiError(499, 'clientClosedRequest', 'Client Closed Request');
  }
  if (seen.method !== 'PUT') throw new ApiError(405, 'methodNotAllowed', 'Method Not Allowed');
  await putToSession(world, session, request, fault);
  if (session.object) return sendJson(exchange, 200, resourceOf(world, session.object));
  if (fault?.kind === 'lose-answer') return void request.socket.destroy();
  const last = session.kept.length - 1;
  response.writeHead(308, { 'content-length': '0', ...(last >= 0 && { range: `bytes=0-${last}` }) }).end();
}
