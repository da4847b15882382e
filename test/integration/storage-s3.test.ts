import { CreateMultipartUploadCommand, PutObjectCommand, S3Client, UploadPartCommand } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { withPacking } from '#storage/packed/packed-storage.ts';
import { createS3Storage } from '#storage/s3/s3-storage.ts';
import { parseS3Url } from '#storage/s3/settings.ts';
import { whole } from '#test/support/level.ts';
import { type StorageBench, storageConformance } from '#test/support/storage/conformance.ts';
import { gatewaySecret, startPacking } from '#test/support/storage/packing-bench.ts';
import { hasSwift, newSwiftBucket, type SwiftBucket } from '#test/support/storage/swift.ts';

async function openTwo() {
  const settings = parseS3Url((await newSwiftBucket()).url);
  const storage = createS3Storage(settings);
  const twoHoursAgo = createS3Storage(settings, () => new Date(Date.now() - 7_200_000));
  const close = async (): Promise<void> => {
    await storage.close();
    await twoHoursAgo.close();
  };
  return { storage, twoHoursAgo, close };
}

async function openPacked(): Promise<StorageBench> {
  const plain = await openTwo();
  const packing = await startPacking(plain.storage);
  const close = async (): Promise<void> => {
    await packing.close();
    await plain.close();
  };
  const { storage: twoHoursAgo } = withPacking(plain.twoHoursAgo, { secret: gatewaySecret, url: packing.url });
  return { storage: packing.storage, twoHoursAgo, close };
}

/** What a process leaves that is killed amid its check. */
async function leaveCheck({ name, endpoint }: SwiftBucket): Promise<void> {
  const credentials = { accessKeyId: 'test:tester', secretAccessKey: 'testing' };
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  const at = { Bucket: name, Key: 'longshore/check/killed' };
  await client.send(new PutObjectCommand({ ...at, Body: 'bytes' }));
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(at));
  await client.send(new UploadPartCommand({ ...at, UploadId, PartNumber: 1, Body: 'bytes' }));
  client.destroy();
}

const sizes = { partSize: 200_000, manyParts: 30 } as const;
const forgetsCompletedUploads = 'Swift goes on listing them';

describe.skipIf(!hasSwift())('with OpenStack Swift', () => {
  storageConformance('S3 storage', { open: openTwo, ...sizes, lacks: { forgetsCompletedUploads } });
  // Its own matters are in storage-packed-s3.test.ts.
  if (whole)
    storageConformance('S3 storage with packed small files', {
      open: openPacked,
      ...sizes,
      lacks: { forgetsCompletedUploads, endsWholeUploads: 'what is packed is freed with its segment' },
    });

  it('removes what a check left that was killed, once that check is surely over', async () => {
    const bucket = await newSwiftBucket();
    await leaveCheck(bucket);
    const left = await bucket.stored();
    expect(left).toHaveLength(3);
    const settings = parseS3Url(bucket.url);
    const storage = createS3Storage(settings);
    await storage.check();
    await storage.close();
    expect(await bucket.stored()).toEqual(left);
    const later = createS3Storage(settings, () => new Date(Date.now() + 7_200_000));
    await later.check();
    await later.close();
    expect(await bucket.stored()).toEqual([]);
  });
});
