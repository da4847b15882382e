import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { fileOf } from './calls.ts';
import { badRequest, checkInfo, checkName, checkPrefix, storageCap } from './rules.ts';
import { ApiError, sha1Of, type UploadToken, type World } from './world.ts';

const header = (request: IncomingMessage, name: string): string => String(request.headers[name] ?? '');

/** A token of an upload address, which is good for this address and not in use. */
function tokenOf(world: World, request: IncomingMessage, fileId: string | null): UploadToken {
  const token = world.uploadTokens.get(header(request, 'authorization'));
  if (!token || token.fileId !== fileId) throw new ApiError(401, 'bad_auth_token', 'Invalid authorization token');
  if (world.now() >= token.expires) throw new ApiError(401, 'expired_auth_token', 'Authorization token has expired');
  if (token.inUse) throw new ApiError(400, 'auth_token_limit', 'more than one upload using auth token');
  return token;
}

async function bytesIn(request: IncomingMessage): Promise<Buffer> {
  if (request.headers['transfer-encoding'] !== undefined) throw badRequest('chunked transfer encoding is not supported');
  if (!/^\d+$/.test(header(request, 'content-length'))) throw new ApiError(411, 'bad_request', 'Content-Length is required');
  const sha1 = header(request, 'x-bz-content-sha1');
  if (!/^[0-9a-f]{40}$/.test(sha1)) throw badRequest('X-Bz-Content-Sha1 must be 40 hex digits');
  const bytes = await buffer(request);
  if (bytes.length !== Number(header(request, 'content-length'))) throw badRequest('Content-Length does not match the data received');
  if (sha1Of(bytes) !== sha1) throw badRequest('Checksum did not match data received');
  return bytes;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw badRequest('X-Bz-File-Name is not percent-encoded');
  }
}

/** Headers that uploads must not have. */
const refused = ['content-disposition', 'content-encoding', 'content-language', 'content-location', 'content-range', 'expires'];

async function takeFile(world: World, request: IncomingMessage, token: UploadToken) {
  for (const name of refused) if (request.headers[name] !== undefined) throw badRequest(`${name} must not be sent`);
  const fileName = decoded(header(request, 'x-bz-file-name'));
  checkName(fileName);
  checkPrefix(token.key, fileName);
  const contentType = header(request, 'content-type');
  if (contentType === '') throw badRequest('Content-Type is required');
  const given = Object.entries(request.headers).filter(([name]) => name.startsWith('x-bz-info-'));
  const info = Object.fromEntries(given.map(([name, value]) => [name.slice('x-bz-info-'.length), decoded(String(value))]));
  checkInfo(fileName, info);
  const bytes = await bytesIn(request);
  const sha1 = sha1Of(bytes);
  const stored = world.store({ fileId: world.newFileId(), fileName, action: 'upload', contentType, info, bytes, sha1 });
  return { bytes, answer: fileOf(world, stored) };
}

async function takePart(world: World, request: IncomingMessage, fileId: string) {
  const partNumber = Number(header(request, 'x-bz-part-number'));
  if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > 10_000) throw badRequest('Part number must be in range 1 - 10000');
  if (!world.largeFiles.has(fileId)) throw badRequest(`No active upload for: ${fileId}`);
  const bytes = await bytesIn(request);
  if (bytes.length === 0) throw badRequest('Parts must have at least one byte');
  const file = world.largeFiles.get(fileId);
  if (!file) throw badRequest(`No active upload for: ${fileId}`);
  const part = { bytes, sha1: sha1Of(bytes), uploadTimestamp: world.now() };
  file.parts.set(partNumber, part);
  const answer = { fileId, partNumber, contentLength: bytes.length, contentSha1: part.sha1, uploadTimestamp: part.uploadTimestamp };
  return { bytes, answer };
}

/** An upload to one of the addresses that the API gave out. A refusal ends the address. */
export async function takeUpload(world: World, request: IncomingMessage, path: string): Promise<Readonly<Record<string, unknown>>> {
  const [, call, target] = /^\/b2api\/v4\/(b2_upload_file|b2_upload_part)\/([^/]+)\//.exec(path) ?? [];
  if (call === undefined || request.method !== 'POST') throw new ApiError(404, 'not_found', 'Not Found');
  if (call === 'b2_upload_file' && target !== world.bucket.id) throw new ApiError(400, 'bad_bucket_id', 'Bucket id is invalid');
  const fileId = call === 'b2_upload_part' ? target! : null;
  const token = tokenOf(world, request, fileId);
  token.inUse = true;
  world.uploading++;
  world.mostAtOnce = Math.max(world.mostAtOnce, world.uploading);
  try {
    storageCap(world);
    const { bytes, answer } = fileId === null ? await takeFile(world, request, token) : await takePart(world, request, fileId);
    world.bytesTaken += bytes.length;
    return answer;
  } catch (error) {
    world.uploadTokens.delete(header(request, 'authorization'));
    throw error;
  } finally {
    token.inUse = false;
    world.uploading--;
  }
}
