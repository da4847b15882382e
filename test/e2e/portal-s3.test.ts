import { createHash, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltPages, buildPages } from '#test/support/browser/built-pages.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { arrived, chooseFolder, fillDetails, received, send, visitPortal } from '#test/support/browser/portal-visitor.ts';
import { newPortal } from '#test/support/service/portals.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { type CorsBucket, startCorsBucket } from '#test/support/storage/cors-bucket.ts';
import { hasSwift, newSwiftBucket, type SwiftBucket } from '#test/support/storage/swift.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

describe.skipIf(!hasSwift())('with Swift', () =>
  describeInBrowser('the upload page and an S3 bucket', (browserOf) => {
    let folder: Awaited<ReturnType<typeof tempFolder>>;
    let web: BuiltPages;
    let bucket: CorsBucket;
    let swift: SwiftBucket;
    let service: TestService;
    const clip = randomBytes(34_000_000);

    beforeAll(async () => {
      folder = await tempFolder();
      [web, bucket, swift] = await Promise.all([buildPages('web'), startCorsBucket(), newSwiftBucket()]);
      service = await startTestService({
        webDir: web.folder,
        storageUrl: `${swift.url}&public_url=${encodeURIComponent(bucket.url)}`,
        processes: 1,
      });
      bucket.configure({ upstream: swift.endpoint, origin: service.url });
      await mkdir(join(folder.path, 'A001/audio'), { recursive: true });
      await writeFile(join(folder.path, 'A001/A001C001.mov'), clip);
      for (let take = 0; take < 20; take++) await writeFile(join(folder.path, `A001/audio/T${take}.wav`), `take ${take}`);
      await writeFile(join(folder.path, 'A001/empty.txt'), '');
    });
    afterAll(async () => {
      await service?.close();
      await bucket?.close();
      await folder?.remove();
    });

    it('sends parts and small files straight into it, and compares its etags', async () => {
      const portal = await newPortal(service);
      const { page, complaints, hosts, close } = await visitPortal(browserOf(), service, portal.subdomain);
      await chooseFolder(page, join(folder.path, 'A001'));
      await page.getByText('22 files, 34 MB', { exact: true }).waitFor();
      await fillDetails(page);
      await send(page);
      await arrived(page);
      const { files, read } = await received(service, portal.id);
      expect(files.size).toBe(22);
      expect((await read('A001/A001C001.mov')).equals(clip)).toBe(true);
      expect((await read('A001/audio/T7.wav')).toString()).toBe('take 7');
      expect(files.get('A001/empty.txt')?.size).toBe(0);
      const small = files.get('A001/audio/T7.wav')!;
      expect([small.chunk_checksum, small.etag]).toEqual([
        'md5',
        expect.stringContaining(createHash('md5').update('take 7').digest('hex')),
      ]);
      expect(new Set(bucket.preflights)).toEqual(new Set(['PUT']));
      expect([...hosts].filter(Boolean).sort()).toEqual([new URL(service.url).host, new URL(bucket.url).host].sort());
      expect(complaints).toEqual([]);
      await close();
    });
  }),
);
