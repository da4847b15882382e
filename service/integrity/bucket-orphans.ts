import { hash } from 'node:crypto';
import type pg from 'pg';
import { isSegment } from '#storage/keys.ts';
import type { ListedObject, ListedUpload } from '#storage/ports.ts';
import { bucketIdKey } from '../objects-bucket.ts';
import type { Bucket } from './bucket.ts';
import type { Finding } from './finding.ts';
import { segmentKey } from './item-key.ts';
import { isObjectKey, keysUnderWay, knownObjects, knownSegments, youngSeconds } from './known-keys.ts';
import { freeOrphans } from './orphans.ts';

/** What a bucket has and no row needs: objects, segments, and uploads that nobody will complete. */

const ofSegments = segmentKey('');
/** What a start tries a bucket with, and removes (storage/s3/check-bucket.ts). */
const ofStarts = 'check/';
/** Begins a step among uploads, which come after all objects. */
const amongUploads = 'uploads ';

interface Step {
  readonly reached: string;
  readonly findings: readonly Finding[];
}

export async function* unneededInBucket(client: pg.Client, bucket: Bucket, reached: string, at: Date): AsyncGenerator<Step> {
  const isOld = (since: Date): boolean => at.getTime() - since.getTime() > youngSeconds * 1000;
  let upload: ListedUpload | null = null;
  if (reached.startsWith(amongUploads)) upload = parseStep(reached);
  else {
    for (let last = reached; ; ) {
      const page = await bucket.list('', last);
      if (page.length === 0) break;
      last = page.at(-1)!.key;
      yield {
        reached: last,
        findings: await unneededObjects(
          client,
          page.filter(({ modified }) => isOld(modified)),
        ),
      };
    }
  }
  for (;;) {
    const page = await bucket.listUploads(upload);
    if (page.length === 0) return;
    upload = page.at(-1)!;
    yield {
      reached: stepOf(upload),
      findings: await unneededUploads(
        client,
        page.filter(({ started }) => isOld(started)),
      ),
    };
  }
}

const stepOf = ({ key, uploadId }: Pick<ListedUpload, 'key' | 'uploadId'>): string => `${amongUploads}${key} ${uploadId}`;

function parseStep(step: string): ListedUpload {
  const at = step.lastIndexOf(' ');
  return { key: step.slice(amongUploads.length, at), uploadId: step.slice(at + 1), started: new Date(0) };
}

async function unneededObjects(client: pg.Client, objects: readonly ListedObject[]): Promise<Finding[]> {
  const keys = objects.map(({ key }) => key).filter((key) => key !== bucketIdKey && !key.startsWith(ofStarts));
  const segments = keys.filter((key) => key.startsWith(ofSegments)).map((key) => key.slice(ofSegments.length));
  const others = keys.filter((key) => !key.startsWith(ofSegments));
  const [knownOthers, known] = [await knownObjects(client, others), await knownSegments(client, segments)];
  const finding = (key: string, path: string, isOurs: boolean): Finding => ({
    ...{ kind: isOurs ? 'orphan' : 'foreign', key: isOurs ? key : shortened(key), path },
  });
  return [
    ...others.filter((key) => !knownOthers.has(key)).map((key) => finding(key, key, isObjectKey(key))),
    ...segments.filter((id) => !known.has(id)).map((id) => finding(id, segmentKey(id), isSegment(id))),
  ];
}

async function unneededUploads(client: pg.Client, uploads: readonly ListedUpload[]): Promise<Finding[]> {
  const ours = uploads.filter(({ key }) => !key.startsWith(ofStarts));
  const needed = await keysUnderWay(
    client,
    ours.map(({ key }) => key),
  );
  return ours
    .filter(({ key }) => !needed.has(key))
    .map(({ key, uploadId, started }) => ({
      ...{ kind: isObjectKey(key) ? 'orphan' : 'foreign', key: `${shortened(key)}@${shortHash(uploadId)}`, path: key },
      detail: `an upload that was begun at ${started.toISOString()} and never completed`,
    }));
}

/** Keys of others may have a thousand bytes; `path` has all of them. */
const longestKey = 64;
const shortened = (key: string): string => (key.length <= longestKey ? key : `${key.slice(0, longestKey - 20)}…${shortHash(key)}`);
const shortHash = (text: string): string => hash('sha256', text).slice(0, 16);

/** Uploads are ended at once: no call begins one for a file that is finalized or gone. All else is the next sweep's. */
export async function freeInBucket(client: pg.Client, bucket: Bucket, orphans: readonly Finding[], at: Date): Promise<void> {
  const isUpload = ({ key }: Finding): boolean => key.includes('@');
  await freeOrphans(
    client,
    orphans.filter((one) => !isUpload(one)),
    at,
  );
  const keys = new Set(orphans.filter(isUpload).map(({ path }) => path));
  const needed = await keysUnderWay(client, [...keys]);
  for (const key of keys) if (!needed.has(key)) await bucket.abort(key);
}
