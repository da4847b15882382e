import { ApiError, type ApplicationKey, type World } from './world.ts';

/** RULES.md says where each of these is documented. */

export const badRequest = (message: string): ApiError => new ApiError(400, 'bad_request', message);

/** The capability that each call needs. */
const capabilities: Readonly<Record<string, string>> = {
  b2_list_buckets: 'listBuckets',
  b2_list_file_names: 'listFiles',
  b2_list_file_versions: 'listFiles',
  b2_list_unfinished_large_files: 'listFiles',
  b2_get_file_info: 'readFiles',
  download: 'readFiles',
  b2_list_parts: 'writeFiles',
  b2_get_upload_url: 'writeFiles',
  b2_get_upload_part_url: 'writeFiles',
  b2_start_large_file: 'writeFiles',
  b2_finish_large_file: 'writeFiles',
  b2_cancel_large_file: 'writeFiles',
  b2_hide_file: 'writeFiles',
  b2_delete_file_version: 'deleteFiles',
};

/** The key of an account token that is good for this call. */
export function authenticate(world: World, call: string, authorization: string | string[] | undefined): ApplicationKey {
  const token = world.tokens.get(String(authorization ?? ''));
  if (!token || world.keys.get(token.key.id) !== token.key) throw new ApiError(401, 'bad_auth_token', 'Invalid authorization token');
  if (world.now() >= token.expires) throw new ApiError(401, 'expired_auth_token', 'Authorization token has expired');
  const needed = capabilities[call];
  if (needed === undefined) throw new ApiError(404, 'not_found', `unknown call ${call}`);
  if (!token.key.capabilities.has(needed)) throw unauthorized();
  if (world.reached.has('transaction')) {
    throw new ApiError(403, 'transaction_cap_exceeded', 'Transaction cap exceeded. See the Caps & Alerts page to increase your cap.');
  }
  return token.key;
}

const unauthorized = () => new ApiError(401, 'unauthorized', 'unauthorized');

export function checkBucket(world: World, key: ApplicationKey, bucketId: unknown): void {
  if (key.buckets && !key.buckets.includes(String(bucketId))) throw unauthorized();
  if (bucketId !== world.bucket.id) throw new ApiError(400, 'bad_bucket_id', `Bucket id is invalid or does not exist: ${String(bucketId)}`);
}

/** A name, or what names begin with, that the key may see. */
export function checkPrefix({ namePrefix }: ApplicationKey, name: string): void {
  if (namePrefix !== null && !name.startsWith(namePrefix)) throw unauthorized();
}

export function checkName(name: unknown): asserts name is string {
  if (typeof name !== 'string' || name === '') throw badRequest('File names must be strings that are not empty');
  if (Buffer.byteLength(name) > 1024) throw badRequest('File names must be at most 1024 bytes');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are meant
  if (/[\u0000-\u001f\u007f]/.test(name)) throw badRequest('File names must not contain character codes below 32, nor DEL');
  if (name.includes('\\')) throw badRequest('File names must not contain a backslash');
  if (name.startsWith('/') || name.endsWith('/') || name.includes('//'))
    throw badRequest('File names must not start or end with "/", nor contain "//"');
  if (name === '.' || name === '..') throw badRequest('File names must not be "." or ".."');
  if (name.split('/').some((step) => Buffer.byteLength(step) > 250)) throw badRequest('File name segments must be at most 250 bytes');
}

export function checkInfo(name: string, info: unknown): asserts info is Readonly<Record<string, string>> {
  if (typeof info !== 'object' || info === null) throw badRequest('fileInfo must be an object');
  const entries = Object.entries(info);
  if (entries.length > 10) throw badRequest('fileInfo must have at most 10 entries');
  for (const [key, value] of entries) {
    if (!/^[A-Za-z0-9_-]{1,50}$/.test(key)) throw badRequest(`fileInfo key is not valid: ${key}`);
    if (typeof value !== 'string') throw badRequest('fileInfo values must be strings');
  }
  const size = entries.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    Buffer.byteLength(name),
  );
  if (size > 2048) throw badRequest('File name and fileInfo are larger than 2048 bytes');
  const millis = (info as Record<string, string>)['src_last_modified_millis'];
  if (millis !== undefined && !/^-?\d{1,17}$/.test(millis)) throw badRequest('src_last_modified_millis is not a number');
}

export function storageCap(world: World): void {
  if (world.reached.has('storage')) {
    throw new ApiError(
      403,
      'storage_cap_exceeded',
      'Cannot upload files, storage cap exceeded. See the Caps & Alerts page to increase your cap.',
    );
  }
}
