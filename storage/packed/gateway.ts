import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MemoryReservation } from '#net/memory-budget.ts';
import { smallFileSize } from '#protocol/limits.ts';
import { batchGetHead } from '#protocol/storage/batch-get.ts';
import { batchPutAnswer } from '#protocol/storage/batch-put.ts';
import { attachment } from '#protocol/storage/disposition.ts';
import { answerRange, contentRange, ifMatch, noRangeOf } from '#protocol/storage/ranges.ts';
import { authorizingTarget, batchGetPath, batchPutPath, objectCacheControl } from '#protocol/storage/requests.ts';
import { createBatchVerifier } from '../batch-address.ts';
import { isKey } from '../keys.ts';
import { batchGetLength, receiveTargets } from '../local/batch-get.ts';
import { batchPutLength, receiveBatchPut } from '../local/batch-put.ts';
import { corsHeaders, preflightHeaders } from '../local/cors.ts';
import { checkBatchedQuery, checkedLength, checkPartQuery } from '../local/part-authorization.ts';
import { collect, SenderGone } from '../local/receive.ts';
import { noSuchObject, notAllowed, Refusal, refusalOf, refuse, tooMuchAtOnce } from '../local/refusal.ts';
import { sendBuffers } from '../local/send.ts';
import { parsePackedKey } from '../packed-key.ts';
import { packedObject } from '../segments/packed-object.ts';
import { signingKey, verifyQuery } from '../signature.ts';
import { batchMemory, readPacked } from './gateway-reads.ts';
import type { PackedStorage } from './packed-storage.ts';
import { createPacker, type PartToPack, type Received } from './packer.ts';

interface GatewayPorts {
  readonly packed: Pick<PackedStorage, 'segments' | 'received'>;
  readonly secret: Uint8Array;
  /** Memory of a sender or receiver, for the duration of a request; `cut` ends a slow one when memory is short. */
  readonly reserve: (request: IncomingMessage, direction: 'in' | 'out', cut: () => void) => MemoryReservation;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called with failures that are not the caller's fault. */
  readonly onTrouble: (error: Error) => void;
}

/** Answers a request. `basePath` is the path of its URL before the key, without a slash at the end. */
export type Gateway = (request: IncomingMessage, response: ServerResponse, basePath: string) => void;

/**
 * The part of a storage's HTTP (contract/storage.md §10) that small objects in segments need: parts and objects, single or many in
 * one request. The query of every request contains its authorization.
 */
export function createGateway({ packed, secret, reserve, now, onTrouble }: GatewayPorts): Gateway {
  const { segments } = packed;
  const signing = signingKey(secret);
  const store = createPacker({ ...packed, onTrouble });
  const verifyBatch = createBatchVerifier(signing);

  function addressOf(url: string, basePath: string): { readonly key: string; readonly query: string } {
    const cut = url.indexOf('?');
    const path = cut < 0 ? url : url.slice(0, cut);
    return { key: path.startsWith(`${basePath}/`) ? path.slice(basePath.length + 1) : '', query: cut < 0 ? '' : url.slice(cut + 1) };
  }

  /** The key of an object and the file name that its address gives it. */
  function authorizedRead(url: string, basePath: string): { readonly key: string; readonly fileName: string } {
    const { key, query } = addressOf(url, basePath);
    if (!isKey(key)) throw noAddress();
    const verdict = verifyQuery(signing, 'GET', key, query, now());
    if (verdict.kind !== 'valid') throw notAllowed(verdict.kind);
    return { key, fileName: verdict.facts.get('fileName') ?? 'download' };
  }

  function authorizedPart(url: string, basePath: string): Omit<PartToPack, 'bytes'> {
    const { key, query } = addressOf(url, basePath);
    if (!isKey(key)) throw noAddress();
    return { key, signed: checkPartQuery(signing, key, query, now()) };
  }

  /** The same in a request for many, where parts of a batch are taken too. */
  function authorizedBatchPart(url: string, basePath: string): Omit<PartToPack, 'bytes'> {
    const { key, query } = addressOf(url, basePath);
    if (!isKey(key)) throw noAddress();
    return { key, signed: checkBatchedQuery(signing, verifyBatch, key, query, now()) };
  }

  function received(target: string, bytes: Buffer, basePath: string): Received {
    try {
      const part = authorizedBatchPart(target, basePath);
      checkedLength(String(bytes.length), part.signed);
      return { ...part, bytes };
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }

  async function withMemory(
    request: IncomingMessage,
    response: ServerResponse,
    direction: 'in' | 'out',
    work: (memory: MemoryReservation) => Promise<void>,
  ): Promise<void> {
    const memory = reserve(request, direction, () => void response.destroy());
    try {
      await work(memory);
    } catch (error) {
      if (error instanceof SenderGone) return void response.destroy();
      throw error;
    } finally {
      memory.end();
    }
  }

  /** Only a sender with a valid address may occupy memory for a body. */
  function batchPut(request: IncomingMessage, response: ServerResponse, query: string, basePath: string): Promise<void> {
    authorizedBatchPart(authorizingTarget(query), basePath);
    const length = batchPutLength(request.headers['content-length']);
    return withMemory(request, response, 'in', async (memory) => {
      const parts = await receiveBatchPut(request, length, memory);
      const body = batchPutAnswer(await store(parts.map(({ target, bytes }) => received(target, bytes, basePath))));
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }).end(body);
    });
  }

  function put(request: IncomingMessage, response: ServerResponse, basePath: string): Promise<void> {
    const part = authorizedPart(request.url!, basePath);
    const length = checkedLength(request.headers['content-length'], part.signed);
    if (length > smallFileSize) throw new Refusal(413, 'EntityTooLarge', 'This is no address of a small part.');
    return withMemory(request, response, 'in', async (memory) => {
      const [answer] = await store([{ ...part, bytes: Buffer.concat(await collect(request, length, memory), length) }]);
      if (!('etag' in answer!)) {
        const { status, code, message, retry_after } = answer!;
        throw new Refusal(status, code, message, retry_after === undefined ? {} : { 'Retry-After': retry_after });
      }
      response.writeHead(200, { ETag: `"${answer.etag}"`, 'Content-Length': 0 }).end();
    });
  }

  function batchGet(request: IncomingMessage, response: ServerResponse, query: string, basePath: string): Promise<void> {
    authorizedRead(authorizingTarget(query), basePath);
    const length = batchGetLength(request.headers['content-length']);
    return withMemory(request, response, 'out', async (memory) => {
      const targets = await receiveTargets(request, length, memory);
      if (!memory.take(batchMemory)) throw tooMuchAtOnce();
      const { answers, pieces } = await readPacked(targets, {
        segments,
        keyOf: (target) => authorizedRead(target, basePath).key,
        onTrouble,
      });
      const head = Buffer.from(batchGetHead(answers));
      response.writeHead(200, {
        'Content-Type': 'application/octet-stream',
        'Content-Length': pieces.reduce((sum, one) => sum + one.length, head.length),
        'Cache-Control': objectCacheControl,
      });
      await sendBuffers(response, [head, ...pieces], memory);
    });
  }

  async function get(request: IncomingMessage, response: ServerResponse, basePath: string): Promise<void> {
    const { key, fileName } = authorizedRead(request.url!, basePath);
    const place = parsePackedKey(key);
    if (!place) throw noSuchObject();
    const { size, etag } = packedObject(await segments.part(place));
    const quoted = `"${etag}"`;
    if (!ifMatch(request.headers['if-match'], quoted)) {
      throw new Refusal(412, 'PreconditionFailed', 'This is not the object that If-Match asks for any more.');
    }
    const condition = request.headers['if-range'];
    const range = answerRange(condition === undefined || condition === quoted ? request.headers.range : undefined, size);
    if (range.kind === 'unsatisfiable') {
      throw new Refusal(416, 'InvalidRange', `The range lies outside the object of ${size} bytes.`, { 'Content-Range': noRangeOf(size) });
    }
    const { start, end } = range.kind === 'part' ? range : { start: 0, end: size - 1 };
    const headers = {
      'Content-Disposition': attachment(fileName),
      'Content-Type': 'application/octet-stream',
      'Content-Length': end - start + 1,
      'Accept-Ranges': 'bytes',
      ETag: quoted,
      'Cache-Control': objectCacheControl,
      ...(range.kind === 'part' && { 'Content-Range': contentRange(start, end, size) }),
    };
    const status = range.kind === 'part' ? 206 : 200;
    if (request.method === 'HEAD') {
      if (!(await segments.exists(place.segment))) throw noSuchObject();
      return void response.writeHead(status, headers).end();
    }
    await withMemory(request, response, 'out', async (memory) => {
      if (!memory.take(size)) throw tooMuchAtOnce();
      const bytes = await segments.read(place);
      response.writeHead(status, headers);
      await sendBuffers(response, [bytes.subarray(start, end + 1)], memory);
    });
  }

  async function route(request: IncomingMessage, response: ServerResponse, basePath: string): Promise<void> {
    const { key, query } = addressOf(request.url ?? '/', basePath);
    switch (request.method) {
      case 'OPTIONS':
        return void response.writeHead(204, preflightHeaders).end();
      case 'POST':
        if (key === batchPutPath) return batchPut(request, response, query, basePath);
        if (key === batchGetPath) return batchGet(request, response, query, basePath);
        throw noAddress();
      case 'PUT':
        return put(request, response, basePath);
      case 'GET':
      case 'HEAD':
        return get(request, response, basePath);
      default:
        throw new Refusal(405, 'MethodNotAllowed', 'The storage takes GET, HEAD, POST, PUT and OPTIONS.', {
          Allow: 'GET, HEAD, POST, PUT, OPTIONS',
        });
    }
  }

  return (request, response, basePath) => {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeaders(corsHeaders('any', request.headers.origin));
    route(request, response, basePath).catch((error: Error) => {
      const refusal = refusalOf(error);
      if (!(error instanceof Refusal) && refusal.status !== 404) onTrouble(error);
      refuse(request, response, refusal);
    });
  };
}

const noAddress = (): Refusal => new Refusal(403, 'SignatureDoesNotMatch', 'This is no address of the storage.');
