import { createHash } from 'node:crypto';
import { createHostedClient } from '#client/hosted.ts';
import type { ApiReply, ApiRequest, ByteSource, ChunkSender, Fetcher, SliceHasher } from '#client/ports.ts';
import { storageRefusal } from '#client/storage-answers.ts';
import { blake3Hex } from '#engine/io/digests.ts';
import { AgentError, type ErrorName } from '#protocol/errors.ts';
import type { ChunkChecksum } from '#protocol/hosted/files.ts';

/** A file in memory. */
export interface MemorySource extends ByteSource {
  readonly bytes: Buffer;
}

interface FakeFile {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly kind: string;
  readonly size: number;
  readonly chunkSize: number;
  state: 'new' | 'finalized';
  digest?: string;
  content?: Buffer;
}

/** What the plan may do to the request of this ordinal: nothing, lose it before it acts, lose its answer, or answer otherwise. */
export type Fate =
  | 'pass'
  | 'lost_before'
  | 'lost_after'
  | { readonly status: number; readonly text?: string; readonly headers?: Record<string, string> };

/**
 * A hosted API and a storage in memory, as far as uploading and downloading a file goes. Every request
 * stands in `log` as one short line (`create`, `begin`, `blueprints 0+2`, `put 0`, `finalize`, `creates 3` …).
 */
export function createFakeHosted(
  options: { chunkChecksum?: ChunkChecksum; chunkSize?: number; fate?: (line: string, ordinal: number) => Fate } = {},
) {
  const { chunkChecksum = 'blake3', chunkSize = 4, fate = () => 'pass' } = options;
  const log: string[] = [];
  const files = new Map<string, FakeFile>();
  const uploads = new Map<string, { fileId: string; parts: Map<number, { bytes: Buffer; etag: string }> }>();
  /** Chunks that the storage has answered with success, whether or not the answer came through, by upload. */
  const confirmed: string[] = [];
  let ids = 0;
  const url = (path: string): string => `http://storage.test/${path}`;

  const refused = (error: ErrorName, details: Record<string, string | number> = {}): ApiReply => {
    const failure = new AgentError(error, details);
    return { status: failure.status, headers: {}, text: JSON.stringify(failure.body) };
  };
  const ok = (status: number, body?: unknown): ApiReply => ({ status, headers: {}, text: body === undefined ? '' : JSON.stringify(body) });

  function etagOf(bytes: Buffer): string {
    if (chunkChecksum === 'blake3') return `b3-${blake3Hex(bytes)}`;
    return chunkChecksum === 'md5' ? createHash('md5').update(bytes).digest('hex') : `opaque-${++ids}`;
  }

  function record(file: FakeFile) {
    const { id, kind, name, path, size, state, digest } = file;
    const last_modified = '2026-11-20T18:04:11.000Z';
    return {
      id,
      kind,
      name,
      path,
      size,
      state,
      digest,
      last_modified,
      chunk_size: file.chunkSize,
      chunk_checksum: chunkChecksum,
      virus_detected: false,
    };
  }

  function act(line: string, request: ApiRequest): ApiReply {
    const body = request.body ? JSON.parse(request.body) : {};
    const { pathname, searchParams } = new URL(request.url);
    if (line.startsWith('creates')) return ok(200, { files: body.files.map((asked: object) => createdInBatch(asked, request)) });
    if (line.startsWith('finalizes')) {
      const files = body.files.map(({ file_id, ...rest }: { file_id: string }) => {
        const url = request.url.replace('/batch/', `/${file_id}/`);
        const reply = act('finalize', { ...request, url, body: JSON.stringify(rest) });
        return { file_id, ...(reply.status === 204 ? {} : { error: JSON.parse(reply.text) }) };
      });
      return ok(200, { files });
    }
    if (line === 'spec') return ok(200, { max_chunk_count: 10_000, max_chunk_size: 1_000, min_chunk_size: 1, max_batch_files: 1_000 });
    const fileId = /\/files\/([^/]+)/.exec(pathname)?.[1] ?? '';
    const file = files.get(fileId);
    if (line === 'create') {
      const existing = [...files.values()].find((one) => one.path === body.path && one.name === body.name);
      if (existing?.state === 'finalized') return refused('already_exists', { detail: 'It is there.' });
      if (existing) {
        files.delete(existing.id);
        for (const [id, upload] of uploads) if (upload.fileId === existing.id) uploads.delete(id);
      }
      const directory = body.kind === 'directory';
      const made: FakeFile = {
        id: `file-${++ids}`,
        ...{ name: body.name, path: body.path, kind: body.kind, size: body.size ?? 0 },
        chunkSize: body.chunk_size ?? chunkSize,
        state: directory ? 'finalized' : 'new',
      };
      files.set(made.id, made);
      const create_blueprint = directory
        ? null
        : { url: url(`begin/${made.id}`), method: 'POST', headers: { 'x-made-for': made.id }, body: '' };
      return ok(201, { create_blueprint, file: record(made) });
    }
    if (line === 'list') return ok(200, [...files.values()].map(record));
    if (line === 'begin') {
      const id = `upload-${++ids}`;
      uploads.set(id, { fileId: request.headers['x-made-for']!, parts: new Map() });
      return {
        status: 200,
        headers: {},
        text: `<?xml version="1.0"?><InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      };
    }
    if (!file) return refused('not_found', { resource: 'file' });
    if (line === 'delete') {
      files.delete(fileId);
      return ok(204);
    }
    if (line === 'address') return ok(200, { method: 'GET', url: url(`object/${fileId}/${++ids}`) });
    const uploadId = body.upload_id ?? searchParams.get('upload_id') ?? body.file_extras?.upload_id;
    const upload = uploads.get(uploadId);
    if (line === 'chunks') {
      if (!upload) return file.state === 'finalized' ? refused('state_conflict', { detail: 'It is final.' }) : refused('no_such_upload');
      return ok(
        200,
        [...upload.parts].map(([number, part]) => ({ part_number: String(number), etag: part.etag, size: part.bytes.length })),
      );
    }
    if (line.startsWith('blueprints')) {
      const [start, count] = [Number(searchParams.get('start')), Number(searchParams.get('count'))];
      return ok(
        200,
        Array.from({ length: count }, (_, at) => ({
          url: url(`put/${uploadId}/${start + at}/${++ids}`),
          method: 'PUT',
          headers: {},
          body: '',
        })),
      );
    }
    // finalize
    const content: Buffer[] = [];
    if (file.state === 'finalized') return ok(204);
    if (!upload) return refused('no_such_upload');
    for (const { part_number, etag } of body.chunk_extras) {
      const part = upload.parts.get(Number(part_number));
      if (part?.etag !== etag)
        return refused('chunk_wrong', { chunk: part_number, detail: part ? 'its etag is another' : 'the storage does not have it' });
      content.push(part!.bytes);
    }
    file.content = Buffer.concat(content);
    file.state = 'finalized';
    file.digest = body.file_extras.digest;
    uploads.delete(uploadId);
    return ok(204);
  }

  /** One of a batch: as by its own call, and one that fits a chunk has its upload begun. */
  function createdInBatch(asked: object, request: ApiRequest) {
    const reply = act('create', { ...request, url: request.url.replace('/batch', ''), body: JSON.stringify(asked) });
    const made = JSON.parse(reply.text);
    if (reply.status !== 201) return { error: made };
    if (made.create_blueprint === null) return { file: made.file };
    if (made.file.size > made.file.chunk_size) return made;
    const upload_id = `upload-${++ids}`;
    uploads.set(upload_id, { fileId: made.file.id, parts: new Map() });
    return { file: made.file, upload_id, put_blueprint: { url: url(`put/${upload_id}/0/${++ids}`), method: 'PUT', headers: {}, body: '' } };
  }

  async function through(line: string, act: () => ApiReply): Promise<ApiReply> {
    const ordinal = log.push(line) - 1;
    const fated = fate(line, ordinal);
    if (fated === 'lost_before') throw Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' });
    if (typeof fated === 'object') return { status: fated.status, headers: fated.headers ?? {}, text: fated.text ?? '' };
    const reply = act();
    if (fated === 'lost_after') throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    return reply;
  }

  const fetcher: Fetcher = (request) => {
    request.signal?.throwIfAborted();
    const line = nameOf(request);
    return through(line, () => act(line, request));
  };

  const send: ChunkSender<MemorySource> = async (blueprint, source, slice, { md5, onBytes, signal }) => {
    signal.throwIfAborted();
    const [, uploadId, index] = /put\/([^/]+)\/(\d+)/.exec(blueprint.url)!;
    const bytes = Buffer.from(source.bytes.subarray(slice.offset, slice.offset + slice.length));
    const reply = await through(`put ${index}`, (): ApiReply => {
      const upload = uploads.get(uploadId!);
      if (!upload) return { status: 404, headers: {}, text: '<Error><Code>NoSuchUpload</Code></Error>' };
      const etag = etagOf(bytes);
      upload.parts.set(Number(index) + 1, { bytes, etag });
      confirmed.push(`${uploadId} ${index}`);
      return { status: 200, headers: { etag }, text: '' };
    });
    if (reply.status !== 200) throw storageRefusal(reply, 'upload');
    onBytes(bytes.length);
    return {
      etag: reply.headers['etag']!,
      blake3: blake3Hex(bytes),
      ...(md5 ? { md5: createHash('md5').update(bytes).digest('hex') } : {}),
    };
  };

  return {
    log,
    files,
    uploads,
    confirmed,
    fetcher,
    send,
    api: createHostedClient({ baseUrl: 'http://service.test', fetcher, credential: { kind: 'package', token: 'write' } }),
  };
}

export const hashMemory: SliceHasher<MemorySource> = async (source, slice, { md5 }) => {
  const bytes = source.bytes.subarray(slice.offset, slice.offset + slice.length);
  return { blake3: blake3Hex(bytes), ...(md5 ? { md5: createHash('md5').update(bytes).digest('hex') } : {}) };
};

function nameOf({ method, url, body }: ApiRequest): string {
  const { pathname, searchParams } = new URL(url);
  if (pathname.endsWith('/packages/spec')) return 'spec';
  const batch = /\/files\/batch(\/finalize)?$/.exec(pathname);
  if (batch) return `${batch[1] ? 'finalizes' : 'creates'} ${JSON.parse(body ?? '{}').files.length}`;
  if (pathname.startsWith('/begin/')) return 'begin';
  if (pathname.endsWith('/finalize')) return 'finalize';
  if (pathname.endsWith('/chunks')) return 'chunks';
  if (pathname.endsWith('/download')) return 'address';
  if (method === 'DELETE') return 'delete';
  if (pathname.endsWith('/files')) return method === 'GET' ? 'list' : 'create';
  return `blueprints ${searchParams.get('start')}+${searchParams.get('count')}`;
}
