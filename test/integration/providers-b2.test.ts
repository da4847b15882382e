import { randomBytes } from 'node:crypto';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type B2Bench, openB2Bench } from '#test/support/providers/b2/bench.ts';
import { providerConformance } from '#test/support/providers/conformance.ts';
import { never, store } from '#test/support/providers/files.ts';
import { borrowRgw, hasRgw, type RunningRgw } from '#test/support/storage/rgw.ts';

/** Backblaze B2 by its S3-compatible API: the sign-in is simulated, the API is Ceph's, keeping versions as Backblaze does. */
describe.skipIf(!hasRgw())('Backblaze B2, with Ceph RADOS Gateway', () => {
  let rgw: RunningRgw;
  beforeAll(async () => {
    rgw = await borrowRgw();
  });
  afterAll(() => rgw?.close());

  async function open() {
    const user = await rgw.newUser();
    const { name, stored } = await rgw.newVersionedBucket(user);
    const bench: B2Bench = await openB2Bench();
    const { world } = bench;
    const key = { ...world.key, id: user.accessKeyId, secret: user.secretAccessKey };
    world.keys.set(key.id, key);
    world.bucket.name = name;
    world.s3ApiUrl = rgw.endpoint;
    const client = new S3Client({ endpoint: rgw.endpoint, region: 'us-east-1', forcePathStyle: true, credentials: user });
    return {
      ...bench,
      key,
      client,
      stored,
      async close() {
        client.destroy();
        await bench.close();
      },
    };
  }

  providerConformance('Backblaze B2, by S3', {
    async open() {
      const { world, create, key, stored, close } = await open();
      const refused = { ...key, id: `005${world.accountId}0000000003` };
      world.keys.set(refused.id, refused);
      return {
        provider: create(key),
        restarted: () => create(key),
        stored,
        wrong: [
          { what: 'another secret', provider: create({ ...key, secret: 'sesame-opens' }), code: 'credentials_refused' },
          // Ceph does not tell an unknown key from a lack of permission.
          { what: 'a key that only the sign-in knows', provider: create(refused), code: 'forbidden' },
          { what: 'no such bucket', provider: create({ ...world.masterKey }, 'nowhere'), code: 'no_destination' },
          { what: 'a private address', provider: create(key, undefined, { mayConnect: () => false }), code: 'private_address' },
        ],
        secrets: [key.secret, 'sesame-opens', '_acct'],
        close,
      };
    },
    lacks: {
      hidesUnfinishedWhole: 'an object of one PUT is there at once',
      keepsTaken: 'a new object is a version at Backblaze, under which the old one is kept',
    },
    largeFile: 11 * 1024 * 1024,
    partSize: 5 * 1024 * 1024,
  });

  test('versions of Longshore are deleted, those of others are hidden', async () => {
    const { world, create, key, client, stored, close } = await open();
    const provider = create(key);
    await store(provider, 'ours.bin', randomBytes(10));
    await store(provider, 'ours.bin', randomBytes(11));
    await provider.remove({ id: 'ours.bin' }, never);
    expect(await stored()).toEqual([]);

    await client.send(new PutObjectCommand({ Bucket: world.bucket.name, Key: 'theirs.txt', Body: 'theirs' }));
    await store(provider, 'theirs.txt', randomBytes(10));
    await provider.remove({ id: 'theirs.txt' }, never);
    expect(await stored()).toHaveLength(1);
    expect(await provider.head({ id: 'theirs.txt' }, never)).toMatchObject({ size: 6 });
    await provider.remove({ id: 'theirs.txt' }, never);
    await provider.remove({ id: 'theirs.txt' }, never);
    expect((await stored()).map((one) => one.endsWith('hidden')).sort()).toEqual([false, true]);

    await client.send(new PutObjectCommand({ Bucket: world.bucket.name, Key: 'theirs/', Body: 'with bytes' }));
    await provider.remove({ id: 'theirs/' }, never);
    expect((await stored()).filter((one) => one.startsWith('theirs/'))).toHaveLength(2);
    // Nothing went the native way but the sign-in.
    expect(new Set(world.requests.map(({ call }) => call))).toEqual(new Set(['b2_authorize_account', 'b2_list_buckets']));
    await close();
  });
});
