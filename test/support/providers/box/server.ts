import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenLocally } from '../local-server.ts';
import { commit, listParts, putPart, startSession } from './sessions.ts';
import { exchangeToken } from './token-endpoint.ts';
import {
  BoxApiError,
  checkName,
  childrenOf,
  createWorld,
  type Fault,
  itemAt,
  resourceOf,
  type SeenRequest,
  sha1Of,
  storeFile,
  type World,
} from './world.ts';

export interface BoxServer {
  readonly world: World;
  /** Origin of everything. */
  readonly endpoint: string;
  close(): Promise<void>;
}

interface Exchange {
  readonly world: World;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly seen: SeenRequest;
  readonly query: URLSearchParams;
  readonly origin: string;
  readonly body: Buffer;
  readonly fault: Fault | undefined;
}

type Answer = readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>];

/** Box as far as `providers/box` uses it, over HTTP. RULES.md says where each rule is documented. */
export async function startBoxServer(): Promise<BoxServer> {
  const world = createWorld();
  return { world, ...(await listenLocally((request, response) => void serve(world, request, response))) };
}

async function serve(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const seen: SeenRequest = { method: request.method ?? '', path: url.pathname, headers: request.headers };
  world.requests.push(seen);
  response.setHeader('date', world.now().toUTCString());
  const fault = world.fault(seen);
  try {
    const body = await buffer(request);
    const exchange: Exchange = {
      world,
      request,
      response,
      seen,
      query: url.searchParams,
      origin: `http://${request.headers.host}`,
      body,
      fault,
    };
    if (fault?.kind === 'answer') {
      for (const [name, value] of Object.entries(fault.headers ?? {})) response.setHeader(name, value);
      throw new BoxApiError(fault.status, fault.code);
    }
    if (seen.path.startsWith('/download/')) return answerDownload(exchange);
    const [status, answer, headers = {}] = await answerTo(exchange);
    if (fault?.kind === 'lose-answer') return void request.socket.destroy();
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(answer === null ? '' : JSON.stringify(answer));
  } catch (error) {
    if (!(error instanceof BoxApiError)) return void request.socket.destroy();
    const conflict = error.conflict && resourceOf(error.conflict);
    // A list for folders, an object for files.
    const conflicts = conflict && (conflict.type === 'folder' ? [conflict] : conflict);
    const body = {
      type: 'error',
      status: error.status,
      code: error.code,
      message: error.code,
      ...(conflicts && { context_info: { conflicts } }),
    };
    response.writeHead(error.status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }
}

const jsonIn = (body: Buffer): Readonly<Record<string, unknown>> => {
  try {
    return JSON.parse(body.toString()) as Record<string, unknown>;
  } catch {
    throw new BoxApiError(400, 'bad_request');
  }
};

/** Requests by method and path, with a token that is good. */
const routes: readonly (readonly [RegExp, (exchange: Exchange, id: string) => Answer])[] = [
  [/^GET \/2\.0\/users\/me$/, () => [200, { type: 'user', id: '1', login: 'AutomationUser_1@boxdevedition.com' }]],
  [/^OPTIONS \/2\.0\/files\/content$/, preflight],
  [/^POST \/2\.0\/folders$/, makeFolder],
  [/^GET \/2\.0\/folders\/(\d+)\/items$/, listItems],
  [/^DELETE \/2\.0\/folders\/(\d+)$/, removeFolder],
  [/^GET \/2\.0\/files\/(\d+)$/, ({ world }, id) => [200, resourceOf(itemAt(world, id, 'file'))]],
  [/^DELETE \/2\.0\/files\/(\d+)$/, ({ world }, id) => [world.items.delete(itemAt(world, id, 'file').id) ? 204 : 404, null]],
  [/^GET \/2\.0\/files\/(\d+)\/content$/, sendToDownload],
  [/^POST \/api\/2\.0\/files\/content$/, (exchange) => upload(exchange, null)],
  [/^POST \/api\/2\.0\/files\/(\d+)\/content$/, upload],
  [/^POST \/api\/2\.0\/files\/upload_sessions$/, (exchange) => beginSession(exchange, null)],
  [/^POST \/api\/2\.0\/files\/(\d+)\/upload_sessions$/, beginSession],
  [
    /^PUT \/api\/2\.0\/files\/upload_sessions\/(\d+)$/,
    (exchange, id) => [200, { part: putPart(sessionAt(exchange, id), exchange.seen, exchange.body, randomBytes(4).toString('hex')) }],
  ],
  [/^GET \/api\/2\.0\/files\/upload_sessions\/(\d+)\/parts$/, (exchange, id) => [200, listParts(sessionAt(exchange, id), exchange.query)]],
  [/^POST \/api\/2\.0\/files\/upload_sessions\/(\d+)\/commit$/, commitSession],
  [
    /^DELETE \/api\/2\.0\/files\/upload_sessions\/(\d+)$/,
    ({ world, ...exchange }, id) => [world.sessions.delete(sessionAt({ world, ...exchange }, id).id) ? 204 : 404, null],
  ],
];

async function answerTo(exchange: Exchange): Promise<Answer> {
  const { world, seen, body } = exchange;
  if (seen.path === '/oauth2/token') {
    const { status, body: answer } = await exchangeToken(world, String(seen.headers['content-type'] ?? ''), body.toString());
    return [status, answer];
  }
  const token = /^Bearer (\S+)$/.exec(String(seen.headers['authorization'] ?? ''))?.[1];
  const end = token === undefined ? undefined : world.tokens.get(token);
  if (end === undefined || end <= world.now().getTime()) throw new BoxApiError(401, 'unauthorized');
  for (const [pattern, answer] of routes) {
    const match = pattern.exec(`${seen.method} ${seen.path}`);
    if (match) return answer(exchange, match[1] ?? '');
  }
  throw new BoxApiError(404, 'not_found');
}

function preflight({ world, body }: Exchange): Answer {
  const { name, parent } = jsonIn(body) as { name?: string; parent?: { id?: string } };
  checkName(world, name ?? '', parent?.id ?? '');
  return [200, { upload_url: '' }];
}

function makeFolder({ world, body }: Exchange): Answer {
  const { name = '', parent } = jsonIn(body) as { name?: string; parent?: { id?: string } };
  checkName(world, name, parent?.id ?? '');
  const folder = {
    type: 'folder' as const,
    id: world.newId(),
    name,
    parent: parent?.id ?? '',
    version: '',
    bytes: Buffer.alloc(0),
    modified: '',
  };
  world.items.set(folder.id, folder);
  return [201, resourceOf(folder)];
}

function removeFolder({ world, query }: Exchange, id: string): Answer {
  itemAt(world, id, 'folder');
  if (query.get('recursive') !== 'true' && childrenOf(world, id).length > 0) throw new BoxApiError(400, 'folder_not_empty');
  world.items.delete(id);
  return [204, null];
}

function listItems({ world, query }: Exchange, id: string): Answer {
  itemAt(world, id, 'folder');
  const limit = Number(query.get('limit') ?? 100);
  if (query.get('usemarker') !== 'true' || !(limit >= 1 && limit <= 1000)) throw new BoxApiError(400, 'bad_request');
  const after = Number(Buffer.from(query.get('marker') ?? '', 'base64url').toString() || '0');
  if (Number.isNaN(after)) throw new BoxApiError(400, 'bad_request');
  const rest = childrenOf(world, id).filter((item) => Number(item.id) > after);
  const page = rest.sort((one, other) => Number(one.id) - Number(other.id)).slice(0, limit);
  const fields = new Set(['type', 'id', ...(query.get('fields') ?? 'name').split(',')]);
  const entries = page.map((item) => Object.fromEntries(Object.entries(resourceOf(item)).filter(([name]) => fields.has(name))));
  const more = rest.length > page.length;
  return [200, { entries, limit, next_marker: more ? Buffer.from(page.at(-1)!.id).toString('base64url') : '' }];
}

function sendToDownload({ world, query, origin }: Exchange, id: string): Answer {
  const file = itemAt(world, id, 'file');
  if ((query.get('version') ?? file.version) !== file.version) throw new BoxApiError(404, 'not_found');
  const key = randomBytes(16).toString('hex');
  world.downloads.set(key, file.bytes);
  return [302, null, { location: `${origin}/download/${key}` }];
}

/** Its address is the authority; with a token it is refused, as nobody else should see one. */
function answerDownload({ world, seen, response }: Exchange): void {
  const bytes = world.downloads.get(seen.path.slice('/download/'.length));
  if (!bytes || seen.headers['authorization'] !== undefined) throw new BoxApiError(403, 'forbidden');
  const match = /^bytes=(\d+)-(\d+)$/.exec(String(seen.headers['range'] ?? ''));
  if (!match) return void response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
  const start = Number(match[1]);
  if (start >= bytes.length) throw new BoxApiError(416, 'range_not_satisfiable');
  const part = bytes.subarray(start, Number(match[2]) + 1);
  response
    .writeHead(206, { 'content-length': part.length, 'content-range': `bytes ${start}-${start + part.length - 1}/${bytes.length}` })
    .end(part);
}

/** The attributes, then the file: Box refuses the other order. */
function upload({ world, seen, body }: Exchange, replaces: string | null): Answer {
  const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(String(seen.headers['content-type'] ?? ''))?.[1];
  const bad = () => new BoxApiError(400, 'bad_request');
  if (boundary === undefined) throw bad();
  const begin = Buffer.from(`--${boundary}\r\n`);
  const pieces: Buffer[] = [];
  for (let at = body.indexOf(begin); at !== -1; ) {
    const end = body.indexOf(`\r\n--${boundary}`, at + begin.length - 2);
    if (end === -1) throw bad();
    pieces.push(body.subarray(at + begin.length, end));
    at = body.indexOf(begin, end + 2);
  }
  const [attributes, file] = pieces.map((piece) => {
    const gap = piece.indexOf('\r\n\r\n');
    return { head: piece.subarray(0, gap).toString(), bytes: piece.subarray(gap + 4) };
  });
  if (!attributes?.head.includes('name="attributes"') || !file?.head.includes('name="file"'))
    throw new BoxApiError(400, 'metadata_after_file_contents');
  const {
    name = '',
    parent,
    content_modified_at = '',
  } = jsonIn(attributes.bytes) as { name?: string; parent?: { id?: string }; content_modified_at?: string };
  const said = seen.headers['content-md5'];
  if (said !== undefined && said !== sha1Of(file.bytes)) throw new BoxApiError(400, 'bad_digest');
  if (replaces === null) checkName(world, name, parent?.id ?? '');
  else itemAt(world, replaces, 'file');
  const item = storeFile(world, { name, parent: parent?.id ?? '', replaces, modified: content_modified_at }, file.bytes);
  return [201, { total_count: 1, entries: [resourceOf(item)] }];
}

function sessionAt({ world }: Pick<Exchange, 'world'>, id: string) {
  const session = world.sessions.get(id);
  if (!session) throw new BoxApiError(404, 'not_found');
  return session;
}

function beginSession({ world, body, origin }: Exchange, replaces: string | null): Answer {
  const { id, partSize, size } = startSession(world, replaces, jsonIn(body));
  const address = `${origin}/api/2.0/files/upload_sessions/${id}`;
  const session_endpoints = {
    upload_part: address,
    commit: `${address}/commit`,
    abort: address,
    list_parts: `${address}/parts`,
    status: address,
  };
  return [
    201,
    { type: 'upload_session', id, part_size: partSize, total_parts: Math.ceil(size / partSize), num_parts_processed: 0, session_endpoints },
  ];
}

function commitSession(exchange: Exchange, id: string): Answer {
  const file = commit(exchange.world, sessionAt(exchange, id), exchange.seen, jsonIn(exchange.body));
  return file ? [201, { total_count: 1, entries: [resourceOf(file)] }] : [202, null, { 'retry-after': '0' }];
}
