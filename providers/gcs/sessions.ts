import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { ProviderError } from '../errors.ts';
import type { CloudAnswer } from '../http/client.ts';
import { type GcsApi, type GcsObject, objectIn, recordIn } from './api.ts';
import { contentRange, sessionOver, storedBytes } from './session-range.ts';
import { resourceOf, type UploadFile } from './upload-file.ts';

/** What Google says of a session: the bytes it has from the beginning on, the object that it became, or that it is over. */
export type SessionState =
  | { readonly state: 'open'; readonly stored: number }
  | { readonly state: 'complete'; readonly object: GcsObject }
  | { readonly state: 'gone' };

export interface SessionRange {
  /** First byte, and the byte after the last. */
  readonly from: number;
  readonly to: number;
  /** Bytes of the file. */
  readonly size: number;
  readonly body: Readable | Uint8Array;
  /** Of the whole file, hex; with its last bytes only. Google refuses to make the object if it differs. */
  readonly crc32c?: string;
}

const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

/**
 * Begins a resumable session and resolves to its address.
 *
 * @param generation of the object that may be replaced; '0' for none. `changed` if there is another.
 */
export async function startSession(api: GcsApi, file: UploadFile, generation: string, signal: AbortSignal): Promise<string> {
  const { headers } = await api.send(
    {
      method: 'POST',
      path: `/upload${api.bucketPath}/o`,
      query: { uploadType: 'resumable', name: file.path, ifGenerationMatch: generation },
      headers: {
        'content-type': 'application/json; charset=UTF-8',
        'x-upload-content-type': file.contentType,
        'x-upload-content-length': String(file.size),
      },
      body: JSON.stringify(resourceOf(file)),
    },
    signal,
  );
  const address = headers['location'] ?? '';
  if (!api.isOurs(address)) {
    throw new ProviderError(
      'bad_answer',
      'Google Cloud Storage gave no usable address for an upload. It is tried again; if that goes on, tell the operator.',
    );
  }
  return address;
}

/** Asks what a session has; if that is the whole file, this makes the object. */
export async function askSession(api: GcsApi, session: string, size: number, signal: AbortSignal): Promise<SessionState> {
  const headers = { 'content-range': contentRange(0, 0, size) };
  return stateIn(api, await api.sendPlain({ method: 'PUT', url: session, headers, body: '' }, signal));
}

/** Sends bytes of a session. It may keep fewer than it was sent: the answer tells. */
export async function sendRange(api: GcsApi, session: string, range: SessionRange, signal: AbortSignal): Promise<SessionState> {
  const { from, to, size, body, crc32c } = range;
  const answer = await api.sendPlain(
    {
      method: 'PUT',
      url: session,
      headers: {
        'content-range': contentRange(from, to, size),
        ...(crc32c !== undefined && { 'x-goog-hash': `crc32c=${base64(crc32c)}` }),
      },
      body: body instanceof Uint8Array ? body : { stream: body, size: to - from },
    },
    signal,
  );
  return stateIn(api, answer);
}

/** Ends a session and drops its bytes. Does nothing if it is over. */
export async function cancelSession(api: GcsApi, session: string, signal: AbortSignal): Promise<void> {
  const answer = await api.sendPlain({ method: 'DELETE', url: session }, signal);
  // 499 is success: the client closed the request.
  if (answer.status >= 300 && !sessionOver.has(answer.status)) throw api.errorOf(answer);
}

function stateIn(api: GcsApi, answer: CloudAnswer): SessionState {
  const { status, bytes } = answer;
  if (status === 200 || status === 201) return { state: 'complete', object: objectIn(recordIn(bytes)) };
  if (sessionOver.has(status)) return { state: 'gone' };
  if (status !== 308) throw api.errorOf(answer);
  const stored = storedBytes(answer);
  if (stored === null) {
    throw new ProviderError(
      'bad_answer',
      'Google Cloud Storage did not say which bytes it has. It is asked again; if that goes on, tell the operator.',
    );
  }
  return { state: 'open', stored };
}

/** Makes an object in one request, of bytes in memory. `changed` if there is another generation than the one named. */
export async function insertObject(
  api: GcsApi,
  resource: { readonly name: string; readonly contentType?: string },
  bytes: Uint8Array,
  { generation, crc32c }: { readonly generation: string; readonly crc32c?: string },
  signal: AbortSignal,
): Promise<GcsObject> {
  const boundary = `longshore-${randomUUID()}`;
  const contentType = resource.contentType ?? 'application/octet-stream';
  const described = { ...resource, ...(crc32c !== undefined && { crc32c: base64(crc32c) }) };
  const body = Buffer.concat([
    Buffer.from(`--${boundary}\r\ncontent-type: application/json; charset=UTF-8\r\n\r\n${JSON.stringify(described)}\r\n`),
    Buffer.from(`--${boundary}\r\ncontent-type: ${contentType}\r\n\r\n`),
    bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return objectIn(
    await api.json(
      {
        method: 'POST',
        path: `/upload${api.bucketPath}/o`,
        query: { uploadType: 'multipart', ifGenerationMatch: generation },
        headers: { 'content-type': `multipart/related; boundary=${boundary}` },
        body,
      },
      signal,
    ),
  );
}
