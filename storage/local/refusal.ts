import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BatchRefusal } from '#protocol/storage/requests.ts';
import { StorageError } from '../errors.ts';
import { errorDocument } from '../xml.ts';

/** An error answer to a request: status, an S3-like code, a sentence. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

export function refusalOf(error: Error): Refusal {
  if (error instanceof Refusal) return error;
  const options = { cause: error };
  if (!(error instanceof StorageError))
    return new Refusal(500, 'InternalError', 'Something went wrong on our side. Try again soon.', {}, options);
  switch (error.code) {
    case 'no_such_object':
      return noSuchObject();
    case 'object_damaged':
      // No time to come back after: it does not heal.
      return new Refusal(410, 'ObjectDamaged', error.message, {}, options);
    case 'storage_full':
      return new Refusal(507, 'InsufficientStorage', error.message, { 'Retry-After': '30' }, options);
    case 'storage_read_only':
      return new Refusal(503, 'ServiceUnavailable', error.message, { 'Retry-After': '30' }, options);
    default:
      return new Refusal(503, 'ServiceUnavailable', error.message, { 'Retry-After': '5' }, options);
  }
}

/** The refusal of one part or object of a batch: what it alone would have been answered. */
export function inBatch({ status, code, message, headers }: Refusal): BatchRefusal {
  const retryAfter = headers['Retry-After'];
  return { status, code, message, ...(retryAfter === undefined ? {} : { retry_after: retryAfter }) };
}

/** Memory is short, and there is no slow peer to cut. */
export const tooMuchAtOnce = (): Refusal =>
  new Refusal(503, 'SlowDown', 'Too much is being sent or fetched at the same time. Try again in a second.', { 'Retry-After': '1' });

export const notAllowed = (reason: 'expired' | 'invalid'): Refusal =>
  reason === 'expired'
    ? new Refusal(403, 'AccessDenied', 'Request has expired. Ask for a new blueprint.')
    : new Refusal(403, 'SignatureDoesNotMatch', 'The signature of this address is not valid. Send the request exactly as it was given.');

/** By the address of a batch nothing is replaced: whoever took the newer bytes would not know which were recorded. */
export const sentBefore = (): Refusal =>
  new Refusal(409, 'UploadExists', 'Other bytes were sent by this upload id before, or are being sent. Send these by another one.');

export const tooManyOfBatch = (): Refusal =>
  new Refusal(409, 'TooManyParts', 'More files were sent by this address than a batch has. Ask for another blueprint for these.');

export const noSuchObject = (): Refusal => new Refusal(404, 'NoSuchKey', 'There is no such object.');

/** Time for which a refused sender may continue to send. If its connection was cut at once, it might never read the answer. */
export const lingerMilliseconds = 2_000;

/** Sends the refusal, unless an answer has already begun. */
export function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  for (const name of ['Content-Range', 'Content-Disposition', 'ETag', 'Accept-Ranges', 'Cache-Control']) response.removeHeader(name);
  const body = errorDocument(refusal.code, refusal.message);
  response.writeHead(refusal.status, { 'Content-Type': 'application/xml', 'Content-Length': Buffer.byteLength(body), ...refusal.headers });
  response.end(request.method === 'HEAD' ? undefined : body);
  if (request.complete) return;
  const timer = setTimeout(() => request.complete || request.destroy(), lingerMilliseconds);
  timer.unref();
  request.once('close', () => clearTimeout(timer));
}
