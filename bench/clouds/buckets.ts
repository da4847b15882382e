import { DeleteObjectsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import lendRgw from '#test/support/storage/lend-rgw.ts';
import { borrowRgw } from '#test/support/storage/rgw.ts';

/** A bucket at a Ceph gateway of this run, which keeps all in memory. */
export interface Buckets {
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Bytes and files that lie there. */
  content(): Promise<{ readonly files: number; readonly bytes: number }>;
  /** Frees everything. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

export async function startBuckets(): Promise<Buckets> {
  const end = await lendRgw();
  try {
    const rgw = await borrowRgw();
    const user = await rgw.newUser();
    const { name: bucket } = await rgw.newBucket(user);
    const { endpoint } = rgw;
    const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: user });

    async function* pages() {
      let token: string | undefined;
      do {
        const page = await client.send(
          new ListObjectsV2Command({ Bucket: bucket, ...(token !== undefined && { ContinuationToken: token }) }),
        );
        yield page.Contents ?? [];
        token = page.NextContinuationToken;
      } while (token !== undefined);
    }

    return {
      endpoint,
      bucket,
      accessKeyId: user.accessKeyId,
      secretAccessKey: user.secretAccessKey,
      async content() {
        let files = 0;
        let bytes = 0;
        for await (const page of pages()) {
          files += page.length;
          bytes += page.reduce((sum, { Size = 0 }) => sum + Size, 0);
        }
        return { files, bytes };
      },
      async empty() {
        for await (const page of pages()) {
          if (page.length === 0) continue;
          await client.send(
            new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: page.map(({ Key }) => ({ Key: Key! })), Quiet: true } }),
          );
        }
        // Ceph frees what was deleted hours later, unless it is told to.
        await rgw.admin('gc process --include-all');
      },
      async close() {
        client.destroy();
        await rgw.close();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}
