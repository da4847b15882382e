import type { IncomingMessage } from 'node:http';
import { checkAlive, putToSession, startSession } from '../gcs/sessions.ts';
import { crc32cOf, ApiError as GcsApiError, md5Of } from '../gcs/world.ts';
import { checkAddress } from './addresses.ts';
import { type BucketAnswer, readAt, requireAction } from './s3-bucket.ts';
import { BucketError, type Fault, type SeenRequest, type World } from './world.ts';

/** Cloud Storage's XML API: the sessions are those of the Cloud Storage simulator, the addresses are signed. */
export async function answerGcs(
  world: World,
  seen: SeenRequest,
  request: IncomingMessage,
  fault: Fault | undefined,
): Promise<BucketAnswer> {
  try {
    return await answer(world, seen, request, fault);
  } catch (error) {
    if (error instanceof GcsApiError) throw new BucketError(error.status, 'InvalidArgument', error.message);
    throw error;
  }
}

async function answer(world: World, seen: SeenRequest, request: IncomingMessage, fault: Fault | undefined): Promise<BucketAnswer> {
  const { method, path, query, headers } = seen;
  const key = decodeURIComponent(path.slice('/gcs/'.length));
  const session = query.get('upload_id');
  if (session === null) {
    checkAddress(world, seen);
    const bytes = world.gcs.objects.get(key)?.bytes;
    if (method === 'GET') {
      const read = readAt(world, bytes, headers['range'] as string | undefined);
      return { ...read, headers: { ...read.headers, ...(bytes && hashes(bytes)) } };
    }
    if (method !== 'POST' || headers['x-goog-resumable'] !== 'start') throw new BucketError(403, 'SignatureDoesNotMatch');
    requireAction(world, 'put');
    const resource = { name: key, contentType: 'application/octet-stream', metadata: {} };
    const { id } = startSession(world.gcs, resource, undefined, null);
    return { status: 201, headers: { location: `http://${headers['host']}${path}?upload_id=${id}`, 'x-guploader-uploadid': id } };
  }
  const kept = world.gcs.sessions.get(session);
  checkAlive(world.gcs, kept);
  if (method === 'DELETE') {
    if (kept.state === 'complete') throw new BucketError(400, 'InvalidArgument');
    kept.state = 'cancelled';
    return { status: 499 };
  }
  if (method !== 'PUT') throw new BucketError(405, 'MethodNotAllowed');
  await putToSession(world.gcs, kept, request, fault?.kind === 'keep' ? fault : undefined);
  if (kept.object) return { status: 200, headers: hashes(kept.object.bytes) };
  const last = kept.kept.length - 1;
  return { status: 308, headers: last >= 0 ? { range: `bytes=0-${last}` } : {} };
}

const hashes = (bytes: Buffer) => ({ 'x-goog-hash': `crc32c=${crc32cOf(bytes)},md5=${md5Of(bytes)}` });
