import { ProviderError } from '../errors.ts';
import type { B2Account } from './account.ts';

const needed = ['listFiles', 'readFiles', 'writeFiles', 'deleteFiles'];
const day = 24 * 3600 * 1000;
const soonDays = 14;

/** Sentences worth knowing of a key that has signed in; `forbidden` with all capabilities that it lacks. */
export function checkKey({ capabilities, isMasterKey, isLimited, namePrefix, expires, s3Url }: B2Account, now: Date): readonly string[] {
  const missing = needed.filter((one) => !capabilities.includes(one));
  if (missing.length > 0) {
    throw new ProviderError(
      'forbidden',
      `The application key lacks ${missing.join(', ')}. Make one for the bucket that may read and write, and enter it.`,
    );
  }
  const notes: string[] = [];
  if (isMasterKey) {
    notes.push(
      'This is the master application key, which may do everything in the whole account. Make an application key for this bucket.',
    );
  } else {
    if (!isLimited) notes.push('The application key reaches all buckets of the account. One for this bucket alone is enough.');
    if (s3Url === null) notes.push('The bucket is older than the S3-compatible API of Backblaze, so the native one is used.');
  }
  if (namePrefix !== '')
    notes.push(`The application key is limited to names that begin with "${namePrefix}". The target folder has to begin so.`);
  const days = expires === null ? Number.POSITIVE_INFINITY : Math.max(0, Math.floor((expires.getTime() - now.getTime()) / day));
  if (expires && days < soonDays) {
    notes.push(
      `The application key expires on ${expires.toISOString().slice(0, 10)}, in ${days === 1 ? '1 day' : `${days} days`}. Enter a new one before: without it deliveries stop.`,
    );
  }
  return notes;
}
