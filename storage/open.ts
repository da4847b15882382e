import type { ObjectStorage } from './ports.ts';
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
 *
 * Browsers upload directly to the bucket: its CORS rules must allow GET, HEAD, POST and PUT from the service's
 * pages and expose `ETag` and `Retry-After`. The credentials need put, get and delete object, list parts, abort and list
 * multipart uploads and list bucket.
 *
 * Calls are retried where that can help; `report` is called after each one, for the log.
 * Rejects with a `StorageError`: `storage_misconfigured`, `storage_refused`, `storage_unavailable`.
 */
export async function openStorage(url: string, report: (call: CallReport) => void = () => {}): Promise<ObjectStorage> {
  const storage = createS3Storage(parseS3Url(url));
  await storage.check();
  return withRetry(withLogging(storage, report));
}
