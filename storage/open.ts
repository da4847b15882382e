import type { ObjectStorage } from './ports.ts';
import { createS3Storage } from './s3/s3-storage.ts';
import { parseS3Url } from './s3/settings.ts';
import { type CallReport, withLogging } from './wrappers/logging.ts';
import { withRetry } from './wrappers/retry.ts';

/**
 * Opens the object storage that `STORAGE_URL` names and makes sure that its bucket answers:
 *
 *     s3://KEY:SECRET@host:port/bucket?region=us-east-1&path_style=true&tls=false&prefix=files/
 *
 * - `KEY:SECRET`: percent-encoded. Without them the credentials come from where the AWS tools find them:
 *   `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY` (`AWS_SESSION_TOKEN`), a profile, or the machine's role.
 * - `host:port`: the storage's address; left out (`s3:///bucket`) it is Amazon's.
 * - `region`: `us-east-1` unless given. `path_style`: `true` where buckets are not host names (most self-hosted ones).
 * - `tls`: `false` for plain HTTP. `prefix`: a folder in the bucket.
 * - `public_url`: where senders and receivers reach the storage, when that is not `host:port`.
 *
 * Browsers upload straight to the bucket: its CORS rules must allow GET, HEAD, POST and PUT from the
 * service's pages and expose `ETag`. The credentials need put, get and delete object, abort and list
 * multipart uploads and list bucket.
 *
 * Calls are tried again where that can help; `report` hears of each one, for the log.
 * Rejects with a `StorageError`: `storage_misconfigured`, `storage_refused`, `storage_unavailable`.
 */
export async function openStorage(url: string, report: (call: CallReport) => void = () => {}): Promise<ObjectStorage> {
  const storage = createS3Storage(parseS3Url(url));
  await storage.check();
  return withRetry(withLogging(storage, report));
}
