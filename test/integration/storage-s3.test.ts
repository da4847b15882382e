import { describe } from 'vitest';
import { createS3Storage } from '#storage/s3/s3-storage.ts';
import { parseS3Url } from '#storage/s3/settings.ts';
import { storageConformance } from '#test/support/storage/conformance.ts';
import { hasSwift, newSwiftBucket } from '#test/support/storage/swift.ts';

describe.skipIf(!hasSwift())('with OpenStack Swift', () => {
  storageConformance('S3 storage', {
    async open() {
      const settings = parseS3Url((await newSwiftBucket()).url);
      const storage = createS3Storage(settings);
      const twoHoursAgo = createS3Storage(settings, () => new Date(Date.now() - 7_200_000));
      return {
        storage,
        twoHoursAgo,
        async close() {
          await storage.close();
          await twoHoursAgo.close();
        },
      };
    },
    partSize: 200_000,
    manyParts: 30,
    lacks: { forgetsCompletedUploads: 'Swift goes on listing them' },
  });
});
