import { type PackedStorage, type PackingOptions, withPacking } from './packed/packed-storage.ts';
import type { SegmentBase } from './packed/stored-segments.ts';
import { createS3Storage } from './s3/s3-storage.ts';
import { parseS3Url } from './s3/settings.ts';
import { type CallReport, withLogging } from './wrappers/logging.ts';
import { withRetry } from './wrappers/retry.ts';

/**
 * Opens the object storage in `STORAGE_URL` and checks the permissions on its bucket (s3/check-bucket.ts):
 *
 *     s3://KEY:SECRET@host:port/bucket?region=us-east-1&path_style=true&tls=false&prefix=files/
 *
 * - `KEY:SECRET`: percent-encoded. Without them the credentials are read where the AWS tools read them:
 *   `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY` (`AWS_SESSION_TOKEN`), a profile, or the machine's role.
 * - `host:port`: the storage's address; without it (`s3:///bucket`) the storage is Amazon's.
 * - `region`: default `us-east-1`. `path_style`: `true` where buckets are not host names (most self-hosted storages).
 * - `tls`: `false` for plain HTTP. `prefix`: a folder in the bucket.
 * - `public_url`: the storage's address for senders and receivers, if it is not `host:port`.
 * - `packed`: `true` stores small files together, many in one object; their bytes then come and go through the service
 *   (packed/packed-storage.ts), at the address in `gateway`. What was packed stays readable without it.
 *
 * Browsers upload directly to the bucket: its CORS rules must allow GET, HEAD, POST and PUT from the service's
 * pages and expose `ETag` and `Retry-After`. The credentials need put, get and delete object, list parts, abort and list
 * multipart uploads and list bucket.
 *
 * Calls are retried where that can help; `report` is called after each one, for the log.
 * Rejects with a `StorageError`: `storage_misconfigured`, `storage_refused`, `storage_unavailable`.
 */
export async function openStorage(
  url: string,
  gateway: PackingOptions,
  report: (call: CallReport) => void = () => {},
): Promise<PackedStorage> {
  const settings = parseS3Url(url);
  const s3 = createS3Storage(settings);
  await s3.check();
  const storage = withRetry(withLogging(s3, report));
  return withPacking(storage as SegmentBase, gateway, settings.packed);
}
