import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { FileSystem } from '#filesystem/port.ts';
import { createSyncWhenFast } from '#filesystem/sync-when-fast.ts';
import { createFindClientAddress } from '#net/client-address.ts';
import { defaultShares, MemoryBudget, type MemoryReservation } from '#net/memory-budget.ts';
import type { Tracer } from '#net/tracing/span.ts';
import { authorizingTarget, batchGetPath, batchPutPath, healthPath } from '#protocol/storage/requests.ts';
import { createBatchVerifier } from '../batch-address.ts';
import { isKey, uploadGroupOf } from '../keys.ts';
import { digestIn } from '../read-batch-address.ts';
import { type SignedMethod, signingKey, verifyQuery } from '../signature.ts';
import { initiateResult } from '../xml.ts';
import { BackgroundFlush } from './background-flush.ts';
import { createBatchGetHandler } from './batch-get-handler.ts';
import { createBatchPutHandler } from './batch-put-handler.ts';
import { blockSize } from './block-writer.ts';
import { BufferPool } from './buffer-pool.ts';
import { ComparedParts } from './compared-parts.ts';
import { type CorsRule, corsHeaders, preflightHeaders } from './cors.ts';
import { createDisk } from './disk.ts';
import { diskError, isAbsent, isThere } from './disk-errors.ts';
import type { RawPut } from './fast/raw-head.ts';
import type { IncomingPart, PartEvents, RawHttpOptions, RawSender } from './fast/raw-http.ts';
import { ReceiveBuffers, smallBufferSize } from './fast/receive-buffers.ts';
import { createGetHandler } from './get-handler.ts';
import type { Layout, PartFile } from './layout.ts';
import type { Accel } from './nginx-accel.ts';
import { type AuthorizedPart, authorizedPart, checkBatchedQuery, checkPartQuery } from './part-authorization.ts';
import { PartSenders } from './part-senders.ts';
import { PartWriter } from './part-writer.ts';
import { readSize } from './read.ts';
import { type PartToReceive, receivePart, SenderGone, storePart } from './receive.ts';
import { ReceivedParts } from './received-parts.ts';
import { notAllowed, Refusal, refusalOf, refuse } from './refusal.ts';
import { PackedObjects } from './segments/packed-objects.ts';
import { ReceivedSegments } from './segments/received-segments.ts';
import { SegmentPacker } from './segments/segment-packer.ts';
import { firstReadSize } from './send.ts';
import { storageSpan } from './tracing/storage-tracing.ts';
import { withoutTrace } from './tracing/traced-address.ts';
import type { LocalUploads } from './uploads.ts';

interface DataPlaneOptions {
  readonly files: FileSystem;
  readonly layout: Layout;
  readonly uploads: LocalUploads;
  readonly secret: Uint8Array;
  /** Path prefix before the key, for example `/storage`; empty for none. */
  readonly basePath: string;
  readonly cors: CorsRule;
  /** Memory limit in bytes for all senders together; all receivers together have the same limit. */
  readonly memory: number;
  /** Trusted proxies, whose `X-Forwarded-For` is used (net/client-address.ts). */
  readonly trustProxy?: string | undefined;
  /** Who in front sends what parts hold (nginx-accel.ts). */
  readonly accel?: Accel | undefined;
  /** Records what is moved by addresses that have a trace; null: nothing. */
  readonly tracer: Tracer | null;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called with failures that are not the caller's fault. */
  readonly onTrouble: (error: Error) => void;
}

type RequestHandler = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => void;

export interface DataPlane {
  readonly handle: RequestHandler;
  readonly acceptPart: RawHttpOptions['accept'];
  /** Registers folders of new uploads that were made by another thread: they have no parts yet, so they need not be read. */
  readonly uploadsStarted: (folders: readonly string[]) => void;
  readonly onTrouble: (error: Error) => void;
  /** Headers of every answer to a request without an `Origin`. */
  readonly answerHeaders: ReadonlyMap<string, string>;
}

/** HTTP API of the storage: create, put a part, get. The query of every request contains its authorization. */
export function createDataPlane(options: DataPlaneOptions): DataPlane {
  const { files, layout, uploads, secret, basePath, cors, tracer, now, onTrouble } = options;
  const signing = signingKey(secret);
  const clock = (): number => performance.now();
  const findClientAddress = createFindClientAddress(options.trustProxy);
  const clientOf = ({ socket, headers }: IncomingMessage) => findClientAddress(socket.remoteAddress, headers['x-forwarded-for']);
  // Separate limits, so that slow receivers do not block senders, and the reverse.
  const senders = new MemoryBudget({ bytes: options.memory, shares: defaultShares, now: clock });
  const receivers = new MemoryBudget({ bytes: options.memory, shares: defaultShares, now: clock });
  const bufferPools = { pool: new BufferPool(blockSize, maxPooledBuffers), firstPool: new BufferPool(smallBufferSize, maxPooledBuffers) };
  const sending = {
    files,
    pool: new BufferPool(readSize, maxPooledBuffers),
    firstPool: new BufferPool(firstReadSize, maxPooledBuffers),
    syncWhenFast: createSyncWhenFast(),
    compared: new ComparedParts(files),
  };
  const received = new ReceivedParts(files);
  const partSenders = new PartSenders();
  const flush = new BackgroundFlush(createDisk(files), onTrouble);
  const objects = new PackedObjects(files, layout, sending.syncWhenFast);
  const get = createGetHandler({
    ...{ layout, uploads, objects, sending, accel: options.accel === 'nginx' },
    addressOf: clientOf,
    reserve: receiverMemory,
  });
  const batchGet = createBatchGetHandler({
    files,
    layout,
    uploads,
    objects,
    pool: sending.pool,
    keyOf(target) {
      const { key, query } = addressOf(target);
      if (!isKey(key)) throw noAddress();
      facts('GET', key, query);
      return key;
    },
    digestOf(target) {
      const { key, query } = addressOf(target);
      const ofMany = key === batchGetPath;
      if (!ofMany && !isKey(key)) throw noAddress();
      const verified = facts('GET', key, query);
      return ofMany ? digestIn(verified) : null;
    },
    reserve: receiverMemory,
    onTrouble,
  });

  /** Memory of the sender of a request; `upload` is `null` for a batch with parts of several uploads. */
  function senderMemory(request: IncomingMessage, upload: string | null): MemoryReservation {
    return senders.reserve({ address: clientOf(request), upload }, () => void request.destroy());
  }

  function receiverMemory(request: IncomingMessage, response: ServerResponse): MemoryReservation {
    return receivers.reserve({ address: clientOf(request) }, () => void response.destroy());
  }

  const facts = (method: SignedMethod, key: string, query: string): ReadonlyMap<string, string> => {
    const verdict = verifyQuery(signing, method, key, query, now());
    if (verdict.kind === 'valid') return verdict.facts;
    throw notAllowed(verdict.kind);
  };

  /** The path without its query, the key that it names, and the query without `?` and its trace. */
  function addressOf(url: string): {
    readonly path: string;
    readonly key: string;
    readonly query: string;
    readonly traceparent: string | null;
  } {
    const cut = url.indexOf('?');
    const path = cut < 0 ? url : url.slice(0, cut);
    const key = (path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path).slice(1);
    return { path, key, ...withoutTrace(cut < 0 ? '' : url.slice(cut + 1)) };
  }

  async function create(response: ServerResponse, key: string, query: string): Promise<void> {
    if (!facts('POST', key, query).has('uploads')) throw new Refusal(400, 'InvalidRequest', 'This address begins no upload.');
    const uploadId = uploads.create(key);
    received.begin(layout.upload(key, uploadId));
    await uploads.endOlder(key, uploadId);
    const body = initiateResult('longshore', key, uploadId);
    response.writeHead(200, { 'Content-Type': 'application/xml', 'Content-Length': Buffer.byteLength(body) }).end(body);
  }

  /** Verifies the address of a part. */
  const authorize = (key: string, query: string, stated: string | undefined): AuthorizedPart =>
    authorizedPart(layout, key, checkPartQuery(signing, key, query, now()), stated);

  /** A packed upload has no folder until a part of it comes by itself. Throws the file system's error. */
  function toReceive({ folder, length, signed }: AuthorizedPart): PartToReceive {
    if (uploadGroupOf(signed.uploadId) !== null && makeFolder(files, folder)) received.begin(folder);
    return { folder, partNumber: signed.partNumber, length, received, files };
  }

  const stored = (part: PartToReceive, { file, etag }: PartFile): string => {
    if (part.length > blockSize) flush.add(join(part.folder, file));
    return etag;
  };

  const partFailure = (error: unknown): Error =>
    isAbsent(error)
      ? new Refusal(404, 'NoSuchUpload', 'There is no such multipart upload. It was completed or aborted.')
      : diskError(error);

  async function put(
    request: IncomingMessage,
    response: ServerResponse,
    key: string,
    query: string,
    expectsContinue: boolean,
  ): Promise<void> {
    const authorized = authorize(key, query, request.headers['content-length']);
    const memory = senderMemory(request, authorized.folder);
    const leave = partSenders.begin(authorized.folder, authorized.signed.partNumber, () => void request.destroy());
    try {
      if (expectsContinue) response.writeContinue();
      const part = toReceive(authorized);
      const etag = stored(part, await receivePart(request, part, memory));
      response.writeHead(200, { ETag: `"${etag}"`, 'Content-Length': 0 }).end();
    } catch (error) {
      if (error instanceof SenderGone) return void response.destroy();
      throw error instanceof Refusal ? error : partFailure(error);
    } finally {
      leave();
      memory.end();
    }
  }

  const verifyBatch = createBatchVerifier(signing);
  const batchPut = createBatchPutHandler({
    authorize(target, length) {
      const { key, query } = addressOf(target);
      if (!isKey(key)) throw noAddress();
      return authorizedPart(layout, key, checkBatchedQuery(signing, verifyBatch, key, query, now()), String(length));
    },
    checkAddress(target) {
      const { key, query } = addressOf(target);
      checkBatchedQuery(signing, verifyBatch, key, query, now());
    },
    packer: new SegmentPacker({ files, layout, received: new ReceivedSegments(files, layout) }),
    store(authorized, bytes) {
      const part = toReceive(authorized);
      return stored(part, storePart(bytes, part));
    },
    failure: partFailure,
    reserve: (request) => senderMemory(request, null),
    onTrouble,
  });

  /** Accepts a part for the raw HTTP reader. `null`: the ordinary server answers, with the error if there is one. */
  function acceptPart(
    { target, length, forwardedFor }: RawPut,
    { onRoom, onFailure, onCut }: PartEvents,
    from: RawSender,
  ): IncomingPart | null {
    const { key, query, traceparent } = addressOf(target);
    if (!isKey(key)) return null;
    const refused = (error: unknown): Refusal => {
      const failure = partFailure(error);
      const refusal = refusalOf(failure);
      if (!(failure instanceof Refusal)) onTrouble(failure);
      return refusal;
    };
    try {
      const part = toReceive(authorize(key, query, String(length)));
      const writer = new PartWriter(part, { onRoom: () => buffers.roomOnDisk(), onFailure: (error) => onFailure(refused(error)), clock });
      const memory = senders.reserve({ address: findClientAddress(from.remoteAddress, forwardedFor), upload: part.folder }, onCut);
      const buffers = new ReceiveBuffers({ ...bufferPools, writer, memory, from, onRoom });
      const leave = partSenders.begin(part.folder, part.partNumber, onCut);
      const end = (): void => {
        leave();
        memory.end();
      };
      const span = storageSpan(tracer, 'PUT', traceparent);
      span?.set('http.request.body.size', length);
      return {
        take: () => buffers.take(),
        give: (buffer) => buffers.give(buffer),
        moved: (bytes) => memory.moved(bytes),
        add: (bytes, done) => buffers.add(bytes, done),
        async finish() {
          try {
            const etag = stored(part, await writer.finish());
            span?.end();
            return etag;
          } catch (error) {
            const refusal = refused(error);
            span?.end(refusal.code);
            throw refusal;
          } finally {
            end();
          }
        },
        discard() {
          span?.end('cut');
          void writer.discard().then(end);
        },
      };
    } catch {
      return null;
    }
  }

  /** A batch request has the trace of the address that it is authorized by. */
  const traceOfBatch = (key: string, query: string): string | null =>
    key === batchPutPath || key === batchGetPath ? addressOf(authorizingTarget(query)).traceparent : null;

  /** Records a request from now until its answer was sent. */
  function follow({ method = '', headers }: IncomingMessage, response: ServerResponse, traceparent: string | null): void {
    const span = storageSpan(tracer, method, traceparent);
    if (!span) return;
    response.once('close', () => {
      const bytes = Number(headers['content-length']);
      if (bytes > 0) span.set('http.request.body.size', bytes);
      span.set('http.response.status_code', response.statusCode);
      const sent = Number(response.getHeader('content-length'));
      if (sent > 0) span.set('http.response.body.size', sent);
      span.end(response.writableFinished ? (response.statusCode >= 400 ? String(response.statusCode) : null) : 'cut');
    });
  }

  async function route(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): Promise<void> {
    const { path, key, query, traceparent } = addressOf(request.url ?? '/');
    if (tracer) follow(request, response, traceparent ?? traceOfBatch(key, query));
    if (path === `/${healthPath}`) return void response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': 3 }).end('ok\n');
    if (request.method === 'OPTIONS') return void response.writeHead(204, preflightHeaders).end();
    if (key === batchPutPath && request.method === 'POST') return batchPut(request, response, query, expectsContinue);
    if (key === batchGetPath && request.method === 'POST') return batchGet(request, response, query, expectsContinue);
    if (!isKey(key)) throw noAddress();
    switch (request.method) {
      case 'POST':
        return create(response, key, query);
      case 'PUT':
        return put(request, response, key, query, expectsContinue);
      case 'GET':
      case 'HEAD':
        return get(request, response, key, facts('GET', key, query).get('fileName') ?? 'download');
      default:
        throw new Refusal(405, 'MethodNotAllowed', 'The storage takes GET, HEAD, POST, PUT and OPTIONS.', {
          Allow: 'GET, HEAD, POST, PUT, OPTIONS',
        });
    }
  }

  const handle: RequestHandler = (request, response, expectsContinue) => {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeaders(corsHeaders(cors, request.headers.origin));
    route(request, response, expectsContinue).catch((error: Error) => {
      const refusal = refusalOf(error);
      if (!(error instanceof Refusal)) onTrouble(error);
      refuse(request, response, refusal);
    });
  };
  const uploadsStarted: DataPlane['uploadsStarted'] = (folders) => {
    for (const folder of folders) received.begin(folder);
  };
  return {
    handle,
    acceptPart,
    uploadsStarted,
    onTrouble,
    answerHeaders: new Map([['X-Content-Type-Options', 'nosniff'], ...corsHeaders(cors, undefined)]),
  };
}

/** Unused buffers of each size that a pool keeps. */
const maxPooledBuffers = 16;

const noAddress = (): Refusal => new Refusal(403, 'SignatureDoesNotMatch', 'This is no address of the storage.');

/** Whether the folder was made now. */
function makeFolder(files: FileSystem, folder: string): boolean {
  try {
    files.mkdir(folder, 0o700);
    return true;
  } catch (error) {
    if (isThere(error)) return false;
    throw error;
  }
}
