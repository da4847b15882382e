import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { MemoryReservation } from '#net/memory-budget.ts';
import { attachment } from '#protocol/storage/disposition.ts';
import { answerRange, contentRange, ifMatch, noRangeOf } from '#protocol/storage/ranges.ts';
import { comparesHeader, objectCacheControl } from '#protocol/storage/requests.ts';
import { parsePackedKey } from '../packed-key.ts';
import type { StoredObject } from '../ports.ts';
import { diskError, isAbsent } from './disk-errors.ts';
import { type Layout, objectOf, type PartFile } from './layout.ts';
import { accelHeaders, accelPath, accelPaths } from './nginx-accel.ts';
import { stretches } from './ranges.ts';
import { noSuchObject, Refusal } from './refusal.ts';
import type { PackedObjects } from './segments/packed-objects.ts';
import { type SendingPorts, sendBytes, sendStretches } from './send.ts';
import type { LocalUploads } from './uploads.ts';

interface GetHandlerPorts {
  readonly layout: Layout;
  readonly uploads: LocalUploads;
  readonly objects: PackedObjects;
  readonly sending: SendingPorts;
  /** Whether an nginx in front may send the bytes. */
  readonly accel: boolean;
  /** Of the receiver; `null` where it is unknown. */
  readonly addressOf: (request: IncomingMessage) => string | null;
  /** The receiver's memory, for the duration of its answer. */
  readonly reserve: (request: IncomingMessage, response: ServerResponse) => MemoryReservation;
}

interface FoundObject {
  readonly object: StoredObject;
  /** `null` for a packed object: it is a part of a file. */
  readonly parts: readonly PartFile[] | null;
  /** Sends bytes `start` to `end` inclusive as the answer's body. */
  readonly send: (response: ServerResponse, start: number, end: number, receiver: Receiver) => Promise<void>;
}

interface Receiver {
  readonly memory: MemoryReservation;
  readonly connection: { sent: number };
  readonly trusts: boolean;
  readonly address: string;
}

/** Answers GET and HEAD of an object, whole or a range (contract/storage.md §4). Rejects with a `Refusal` or a `StorageError`. */
export function createGetHandler({ layout, uploads, objects, sending, accel, addressOf, reserve }: GetHandlerPorts) {
  const connections = new WeakMap<object, { sent: number }>();

  function connectionOf(socket: object): { sent: number } {
    let connection = connections.get(socket);
    if (!connection) {
      connection = { sent: 0 };
      connections.set(socket, connection);
    }
    return connection;
  }

  function find(key: string): FoundObject | null {
    const place = parsePackedKey(key);
    if (place) {
      const object = objects.head(place);
      return (
        object && {
          object,
          parts: null,
          send: (response, start, end, { memory }) =>
            sendBytes(response, place.length, () => objects.readNow(place).subarray(start, end + 1), memory),
        }
      );
    }
    const parts = uploads.objectParts(key);
    if (!parts) return null;
    const folder = layout.object(key);
    return {
      object: objectOf(parts),
      parts,
      send: (response, start, end, receiver) =>
        sendStretches(response, stretches(parts, start, end), (file) => join(folder, file), sending, receiver),
    };
  }

  /** `fileName`: from the address, whose signature was verified. */
  return async (request: IncomingMessage, response: ServerResponse, key: string, fileName: string): Promise<void> => {
    const found = find(key);
    if (!found) throw noSuchObject();
    const { object, parts } = found;
    const { size, etag } = object;
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
    const isRange = range.kind === 'part';
    const headers = new Map([
      ['Content-Disposition', attachment(fileName)],
      ['ETag', quoted],
      ['Cache-Control', objectCacheControl],
    ]);
    const trusts = request.headers[comparesHeader] === undefined;
    const named =
      accel && parts && request.method === 'GET'
        ? accelPath({ headers: request.headers, isRange, parts, stretches: stretches(parts, start, end) })
        : null;
    // nginx compares nothing: for whoever does not either, it sends what was compared here lately.
    const sent = named && (!trusts || sending.compared.isFresh(join(layout.object(key), named.file))) ? named : null;
    // Of a range of a file nginx says by itself which it is.
    if (isRange && sent?.path !== accelPaths.range) headers.set('Content-Range', contentRange(start, end, size));
    if (sent) {
      const location = `${sent.path}${layout.objectPath(key)}/${sent.file}`;
      return void response.setHeaders(accelHeaders(location, headers)).end();
    }
    response.statusCode = isRange ? 206 : 200;
    response.setHeader('Content-Length', end - start + 1);
    response.setHeader('Content-Type', 'application/octet-stream');
    response.setHeader('Accept-Ranges', 'bytes');
    response.setHeaders(headers);
    if (request.method === 'HEAD') return void response.end();
    const memory = reserve(request, response);
    // Sent bytes stay in memory until the connection has taken them.
    response.once('close', () => memory.end());
    try {
      await found.send(response, start, end, {
        ...{ memory, connection: connectionOf(request.socket), trusts, address: addressOf(request) ?? '' },
      });
    } catch (error) {
      throw isAbsent(error) ? noSuchObject() : diskError(error);
    }
  };
}
