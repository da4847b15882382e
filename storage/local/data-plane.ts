import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { attachment } from '../disposition.ts';
import { isKey, isUploadId } from '../keys.ts';
import { type SignedMethod, signingKey, verifyQuery } from '../signature.ts';
import { initiateResult } from '../xml.ts';
import { BackgroundFlush } from './background-flush.ts';
import { BufferPool } from './buffer-pool.ts';
import { type CorsRule, corsHeaders, preflightHeaders } from './cors.ts';
import { nodeDisk } from './disk.ts';
import { diskError, isAbsent } from './disk-errors.ts';
import { gatherSize } from './gathering-writer.ts';
import type { Layout } from './layout.ts';
import { MemoryBudget } from './memory-budget.ts';
import { answerRange, stretches } from './ranges.ts';
import { readSize } from './read.ts';
import { memoryOf, receivePart, SenderGone } from './receive.ts';
import { ReceivedParts } from './received-parts.ts';
import { Refusal, refusalOf, refuse } from './refusal.ts';
import { sendStretches } from './send.ts';
import { type LocalUploads, objectOf } from './uploads.ts';

export interface DataPlaneOptions {
  readonly layout: Layout;
  readonly uploads: LocalUploads;
  readonly secret: Uint8Array;
  /** What stands before the key in a path, as `/storage`; empty for nothing. */
  readonly basePath: string;
  readonly cors: CorsRule;
  /** Bytes that all senders together may hold of this process's memory. */
  readonly memory: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Told of failures that are not the caller's. */
  readonly onTrouble: (error: Error) => void;
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => void;

/** Answered without a signature, for load balancers and supervisors. No key begins so. */
export const healthPath = '/-/healthz';

/** The storage's own HTTP: create, put a part, get. Every request carries its permission in its query. */
export function createDataPlane(options: DataPlaneOptions): RequestHandler {
  const { layout, uploads, secret, basePath, cors, now, onTrouble } = options;
  const signing = signingKey(secret);
  const budget = new MemoryBudget(options.memory);
  const pool = new BufferPool(readSize, 16);
  const received = new ReceivedParts();
  const flush = new BackgroundFlush(nodeDisk, onTrouble);

  const facts = (method: SignedMethod, key: string, query: string): ReadonlyMap<string, string> => {
    const verdict = verifyQuery(signing, method, key, query, now());
    if (verdict.kind === 'valid') return verdict.facts;
    throw verdict.kind === 'expired'
      ? new Refusal(403, 'AccessDenied', 'Request has expired. Ask for a new blueprint.')
      : new Refusal(403, 'SignatureDoesNotMatch', 'The signature of this address is not valid. Send the request exactly as it was given.');
  };

  function create(response: ServerResponse, key: string, query: string): void {
    if (!facts('POST', key, query).has('uploads')) throw new Refusal(400, 'InvalidRequest', 'This address begins no upload.');
    const uploadId = uploads.create(key);
    received.begin(layout.upload(key, uploadId));
    const body = initiateResult('longshore', key, uploadId);
    response.writeHead(200, { 'Content-Type': 'application/xml', 'Content-Length': Buffer.byteLength(body) }).end(body);
  }

  async function put(
    request: IncomingMessage,
    response: ServerResponse,
    key: string,
    query: string,
    expectsContinue: boolean,
  ): Promise<void> {
    const signed = facts('PUT', key, query);
    const uploadId = signed.get('uploadId') ?? '';
    if (!isUploadId(uploadId)) throw new Refusal(400, 'InvalidRequest', 'This address takes no part.');
    const length = checkedLength(request, signed);
    const memory = memoryOf(length);
    if (!budget.take(memory))
      throw new Refusal(503, 'SlowDown', 'Too many parts are being received. Try again in a second.', { 'Retry-After': '1' });
    try {
      if (expectsContinue) response.writeContinue();
      const folder = layout.upload(key, uploadId);
      const part = await receivePart(request, {
        folder,
        partNumber: Number(signed.get('partNumber')),
        length,
        received,
      });
      response.writeHead(200, { ETag: `"${part.etag}"`, 'Content-Length': 0 }).end();
      if (length > gatherSize) flush.add(join(folder, part.file));
    } catch (error) {
      if (error instanceof SenderGone) return void response.destroy();
      if (isAbsent(error)) throw new Refusal(404, 'NoSuchUpload', 'There is no such multipart upload. It was completed or aborted.');
      throw diskError(error);
    } finally {
      budget.give(memory);
    }
  }

  async function get(request: IncomingMessage, response: ServerResponse, key: string, query: string): Promise<void> {
    const signed = facts('GET', key, query);
    const parts = uploads.objectParts(key);
    if (!parts) throw new Refusal(404, 'NoSuchKey', 'There is no such object.');
    const { size, etag } = objectOf(parts);
    const quoted = `"${etag}"`;
    const condition = request.headers['if-range'];
    const range = answerRange(condition === undefined || condition === quoted ? request.headers.range : undefined, size);
    if (range.kind === 'unsatisfiable') {
      throw new Refusal(416, 'InvalidRange', `The range lies outside the object of ${size} bytes.`, { 'Content-Range': `bytes */${size}` });
    }
    const { start, end } = range.kind === 'part' ? range : { start: 0, end: size - 1 };
    response.statusCode = range.kind === 'part' ? 206 : 200;
    if (range.kind === 'part') response.setHeader('Content-Range', `bytes ${start}-${end}/${size}`);
    response.setHeader('Content-Length', end - start + 1);
    response.setHeader('Content-Type', 'application/octet-stream');
    response.setHeader('Content-Disposition', attachment(signed.get('fileName') ?? 'download'));
    response.setHeader('ETag', quoted);
    response.setHeader('Accept-Ranges', 'bytes');
    response.setHeader('Cache-Control', 'private, no-transform');
    if (request.method === 'HEAD') return void response.end();
    const folder = layout.object(key);
    try {
      await sendStretches(response, stretches(parts, start, end), (file) => join(folder, file), pool);
    } catch (error) {
      throw isAbsent(error) ? new Refusal(404, 'NoSuchKey', 'There is no such object.') : diskError(error);
    }
  }

  async function route(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): Promise<void> {
    const url = request.url ?? '/';
    const cut = url.indexOf('?');
    const path = cut < 0 ? url : url.slice(0, cut);
    const query = cut < 0 ? '' : url.slice(cut + 1);
    if (path === healthPath) return void response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': 3 }).end('ok\n');
    const key = (path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path).slice(1);
    if (request.method === 'OPTIONS') return void response.writeHead(204, preflightHeaders).end();
    if (!isKey(key)) throw new Refusal(403, 'SignatureDoesNotMatch', 'This is no address of the storage.');
    switch (request.method) {
      case 'POST':
        return create(response, key, query);
      case 'PUT':
        return put(request, response, key, query, expectsContinue);
      case 'GET':
      case 'HEAD':
        return get(request, response, key, query);
      default:
        throw new Refusal(405, 'MethodNotAllowed', 'The storage takes GET, HEAD, POST, PUT and OPTIONS.', {
          Allow: 'GET, HEAD, POST, PUT, OPTIONS',
        });
    }
  }

  return (request, response, expectsContinue) => {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeaders(corsHeaders(cors, request.headers.origin));
    route(request, response, expectsContinue).catch((error: Error) => {
      const refusal = refusalOf(error);
      if (!(error instanceof Refusal)) onTrouble(error);
      refuse(request, response, refusal);
    });
  };
}

/** The length that the body says it has, if the address allows it. */
function checkedLength(request: IncomingMessage, signed: ReadonlyMap<string, string>): number {
  const stated = request.headers['content-length'];
  if (stated === undefined) throw new Refusal(411, 'MissingContentLength', 'Send the part with a Content-Length.');
  const length = Number(stated);
  const exact = signed.get('size');
  const greatest = Number(exact ?? signed.get('maxSize'));
  if (length > greatest) {
    throw new Refusal(
      413,
      'EntityTooLarge',
      `The part has ${length} bytes where ${exact === undefined ? 'at most ' : ''}${greatest} were agreed.`,
    );
  }
  if (exact !== undefined && length !== greatest) {
    throw new Refusal(400, 'IncompleteBody', `The part has ${length} bytes where ${greatest} were agreed.`);
  }
  return length;
}
