import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { listenLocally } from '../local-server.ts';
import { countCall } from './limits.ts';
import { addressesOf, download, downloadAddressOf, StorageError, takePart } from './storage.ts';
import { exchangeToken } from './token-endpoint.ts';
import { assetAt, childrenOf, createWorld, FrameioApiError, removeTree, resourceOf, type SeenRequest, type World } from './world.ts';

export interface FrameioServer {
  readonly world: World;
  /** Origin of everything. */
  readonly endpoint: string;
  close(): Promise<void>;
}

interface Exchange {
  readonly world: World;
  readonly seen: SeenRequest;
  readonly query: URLSearchParams;
  readonly origin: string;
  readonly body: Buffer;
}

type Answer = readonly [status: number, body: unknown];

/** Frame.io V4 as far as `providers/frameio` uses it, over HTTP. RULES.md says where each rule is documented. */
export async function startFrameioServer(): Promise<FrameioServer> {
  const world = createWorld();
  return { world, ...(await listenLocally((request, response) => void serve(world, request, response))) };
}

async function serve(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const seen: SeenRequest = { method: request.method ?? '', path: url.pathname, headers: request.headers };
  world.requests.push(seen);
  response.setHeader('date', world.now().toUTCString());
  const fault = world.fault(seen);
  const atStorage = seen.path.startsWith('/s3/') || seen.path.startsWith('/assets/');
  try {
    const body = await buffer(request);
    const exchange: Exchange = { world, seen, query: url.searchParams, origin: `http://${request.headers.host}`, body };
    if (fault?.kind === 'answer') {
      const { status, detail = '', headers = {} } = fault;
      if (atStorage) {
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
        throw new StorageError(status, detail);
      }
      throw new FrameioApiError(status, detail, headers);
    }
    if (atStorage) answerFromStorage(exchange, fault !== undefined, response);
    else {
      const [[status, answer], headers] = answerTo(exchange);
      if (fault) return void request.socket.destroy();
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(answer === null ? '' : JSON.stringify(answer));
    }
  } catch (error) {
    if (error instanceof StorageError) {
      const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${error.code}</Code><Message>${error.message}</Message></Error>`;
      response.writeHead(error.status, { 'content-type': 'application/xml' }).end(xml);
    } else if (error instanceof FrameioApiError) {
      const body = { errors: [{ title: `Error ${error.status}`, detail: error.message }] };
      response.writeHead(error.status, { 'content-type': 'application/json', ...error.headers }).end(JSON.stringify(body));
    } else request.socket.destroy();
  }
}

function answerFromStorage({ world, seen, query, body }: Exchange, lost: boolean, response: ServerResponse): void {
  if (seen.method === 'PUT') {
    const headers = takePart(world, seen, query, body);
    if (lost) return void response.socket?.destroy();
    response.writeHead(200, headers).end();
    return;
  }
  if (seen.method !== 'GET') throw new StorageError(405, 'MethodNotAllowed');
  const { status, bytes, headers } = download(world, seen, query);
  response.writeHead(status, { 'content-length': bytes.length, ...headers }).end(bytes);
}

function answerTo(exchange: Exchange): readonly [Answer, Readonly<Record<string, string>>] {
  const { world, seen, body } = exchange;
  if (seen.path === '/ims/token/v3' && seen.method === 'POST') {
    const { status, body: answer } = exchangeToken(world, String(seen.headers['content-type'] ?? ''), body.toString());
    return [[status, answer], {}];
  }
  const token = /^Bearer (\S+)$/.exec(String(seen.headers['authorization'] ?? ''))?.[1];
  const end = token === undefined ? undefined : world.tokens.get(token);
  if (end === undefined || end <= world.now().getTime()) throw new FrameioApiError(401, 'Invalid or missing authorization token');
  const [, account, path] = /^\/v4\/accounts\/([^/]+)(\/.*)$/.exec(seen.path) ?? [];
  if (path === undefined) throw new FrameioApiError(404, 'Not Found');
  if (account !== world.accountId) throw new FrameioApiError(403, 'Forbidden');
  const route = `${seen.method} ${path}`;
  const headers = countCall(world, route);
  for (const [pattern, answer] of routes) {
    const match = pattern.exec(route);
    if (match) return [answer(exchange, match[1] ?? ''), headers];
  }
  throw new FrameioApiError(404, 'Not Found');
}

/** Requests by method and path below the account, with a token that is good. */
const routes: readonly (readonly [RegExp, (exchange: Exchange, id: string) => Answer])[] = [
  [/^GET \/projects\/([^/]+)$/, showProject],
  [/^GET \/folders\/([^/]+)\/children$/, listChildren],
  [/^POST \/folders\/([^/]+)\/folders$/, makeFolder],
  [/^DELETE \/folders\/([^/]+)$/, ({ world }, id) => removed(world, assetAt(world, id, 'folder').id)],
  [/^POST \/folders\/([^/]+)\/files\/local_upload$/, beginFile],
  [/^GET \/files\/([^/]+)$/, showFile],
  [/^GET \/files\/([^/]+)\/status$/, showStatus],
  [/^DELETE \/files\/([^/]+)$/, ({ world }, id) => removed(world, assetAt(world, id, 'file').id)],
];

function removed(world: World, id: string): Answer {
  if (id === world.rootFolderId) throw new FrameioApiError(403, 'Forbidden');
  removeTree(world, id);
  return [204, null];
}

function showProject({ world }: Exchange, id: string): Answer {
  if (id !== world.projectId) throw new FrameioApiError(404, 'Not Found');
  const { rootFolderId, workspaceId, projectStatus } = world;
  return [200, { data: { id, name: 'Dailies', root_folder_id: rootFolderId, status: projectStatus, workspace_id: workspaceId } }];
}

/** The `data` of a body, with these properties and no others. */
function dataIn({ seen, body }: Exchange, ...names: readonly string[]): Readonly<Record<string, unknown>> {
  if (seen.headers['content-type'] !== 'application/json') throw new FrameioApiError(400, 'Bad Request');
  let data: unknown;
  try {
    data = (JSON.parse(body.toString()) as { data?: unknown }).data;
  } catch {
    throw new FrameioApiError(400, 'Bad Request');
  }
  if (typeof data !== 'object' || data === null) throw new FrameioApiError(422, 'Missing field: data');
  const unexpected = Object.keys(data).find((name) => !names.includes(name));
  if (unexpected !== undefined) throw new FrameioApiError(422, `Unexpected field: ${unexpected}`);
  return data as Record<string, unknown>;
}

function nameIn(value: unknown): string {
  if (typeof value !== 'string' || value === '' || value.length > 255) throw new FrameioApiError(422, 'Invalid field: name');
  return value;
}

/** A second one of the same name is taken. */
function makeFolder(exchange: Exchange, id: string): Answer {
  const { world } = exchange;
  const parent = assetAt(world, id, 'folder');
  const name = nameIn(dataIn(exchange, 'name')['name']);
  return [201, { data: resourceOf(world, world.add({ type: 'folder', name, parent: parent.id })) }];
}

function listChildren({ world, query, seen }: Exchange, id: string): Answer {
  assetAt(world, id, 'folder');
  const size = Number(query.get('page_size') ?? 50);
  const type = query.get('type');
  const after = query.has('after') ? Number(Buffer.from(query.get('after')!, 'base64url').toString()) : 0;
  if (!Number.isSafeInteger(size) || size < 1 || size > 100) throw new FrameioApiError(422, 'Invalid field: page_size');
  if (type !== null && !['file', 'folder', 'version_stack'].includes(type)) throw new FrameioApiError(422, 'Invalid field: type');
  if (!Number.isSafeInteger(after)) throw new FrameioApiError(422, 'Invalid field: after');
  const rest = childrenOf(world, id).filter((asset) => asset.sequence > after && (type === null || asset.type === type));
  const page = rest.slice(0, size);
  const next = new URLSearchParams(query);
  next.set('after', Buffer.from(String(page.at(-1)?.sequence)).toString('base64url'));
  const more = rest.length > page.length;
  return [200, { data: page.map((asset) => resourceOf(world, asset)), links: { next: more ? `${seen.path}?${next}` : null } }];
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.mov': 'video/quicktime',
  '.txt': 'text/plain',
  '.bin': 'application/octet-stream',
};

/** A placeholder, which everybody sees. A second one of the same name is taken. */
function beginFile(exchange: Exchange, id: string): Answer {
  const { world, origin } = exchange;
  const parent = assetAt(world, id, 'folder');
  const { name: said, file_size } = dataIn(exchange, 'name', 'file_size');
  const name = nameIn(said);
  const size = Number(file_size);
  if (typeof file_size !== 'number' || !Number.isSafeInteger(size) || size < 1 || size > 5 * 1024 ** 4) {
    throw new FrameioApiError(422, 'Invalid field: file_size');
  }
  // As even as it goes, the last one shorter; never very many.
  const count = Math.min(Math.ceil(size / world.partSize), 100);
  const each = Math.ceil(size / count);
  const parts = Array.from({ length: count }, (_, index) => ({ size: Math.min(each, size - index * each), bytes: null }));
  const mediaType = mediaTypes[extname(name)] ?? 'application/octet-stream';
  const file = world.add({ type: 'file', name, parent: parent.id, size, mediaType, parts });
  return [201, { data: { ...resourceOf(world, file), upload_urls: addressesOf(world, file, origin) } }];
}

function showFile({ world, query, origin }: Exchange, id: string): Answer {
  const file = assetAt(world, id, 'file');
  const include = query.get('include');
  if (include === null) return [200, { data: resourceOf(world, file) }];
  if (include !== 'media_links.original') throw new FrameioApiError(422, 'Invalid field: include');
  if (!world.downloads) throw new FrameioApiError(403, 'Forbidden');
  const original = file.status === 'uploaded' ? { download_url: downloadAddressOf(world, file, origin), inline_url: null } : null;
  return [200, { data: { ...resourceOf(world, file), media_links: { original } } }];
}

function showStatus({ world }: Exchange, id: string): Answer {
  const file = assetAt(world, id, 'file');
  const arrived = file.parts.every(({ bytes }) => bytes !== null);
  if (arrived && !file.failed && file.status === 'created' && file.waits-- <= 0) file.status = 'uploaded';
  const complete = file.status === 'uploaded';
  return [200, { data: { id, filetype: file.mediaType, upload_complete: complete, upload_failed: file.failed } }];
}
