import { randomBytes, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partRanges } from '#providers/parts.ts';
import type { CloudProvider, ProviderEnvironment } from '#providers/ports.ts';
import { type S3Config, s3Config } from '#providers/s3/config.ts';
import type { S3Kind } from '#providers/s3/quirks.ts';
import { createS3Provider } from '#providers/s3/s3-provider.ts';
import { longshoreHere } from '#test/support/engine/command-line.ts';
import { firstOf, whole } from '#test/support/level.ts';
import { begin, failureOf, providerConformance, put, store } from '#test/support/providers/conformance.ts';
import { borrowRgw, hasRgw, type RunningRgw } from '#test/support/storage/rgw.ts';
import { hasSwift, newSwiftBucket } from '#test/support/storage/swift.ts';

const environment: ProviderEnvironment = { mayConnect: () => true, now: () => new Date() };
const mebibyte = 1024 * 1024;

const lacks = { hidesUnfinishedWhole: 'an object of one PUT is there at once' } as const;
/** A server of which nothing is known, and Swift, which refuses the condition. */
const replaces = { ...lacks, keepsTaken: 'it knows no condition for what makes an object' } as const;
const sizes = { largeFile: 11 * mebibyte, partSize: 5 * mebibyte };

interface Target {
  readonly kind: S3Kind;
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Providers for one bucket, and some that are wrong. */
function providersOf({ kind, endpoint, bucket, accessKeyId, secretAccessKey }: Target) {
  const fields = { client_id: accessKeyId, client_secret: secretAccessKey, region: 'default', force_s3_path_style: 'true' };
  const config = s3Config(kind, { ...fields, destination: bucket, endpoint });
  const open: CloudProvider[] = [];
  const create = (change: Partial<S3Config> = {}, changed: Partial<ProviderEnvironment> = {}): CloudProvider => {
    const provider = createS3Provider({ ...config, ...change }, { ...environment, ...changed });
    open.push(provider);
    return provider;
  };
  const access = { by: 'key', accessKeyId, secretAccessKey: 'sesame-opens' } as const;
  return {
    create,
    restarted: () => create(),
    wrong: [
      { what: 'no such bucket', provider: create({ bucket: 'absent' }), code: 'no_destination' },
      { what: 'a private address', provider: create({}, { mayConnect: () => false }), code: 'private_address' },
      { what: 'nobody there', provider: create({ endpoint: 'http://127.0.0.1:1' }), code: 'unreachable' },
    ] as const,
    wrongSecret: create({ access }),
    secrets: [secretAccessKey, 'sesame-opens'],
    async close() {
      for (const provider of open) await provider.close();
    },
  };
}

describe.skipIf(!hasSwift())('with OpenStack Swift', () => {
  // As a server that nothing is known of, and as one that does all that S3 does.
  for (const kind of firstOf(['generic_s3', 'minio_s3'] as const)) {
    providerConformance(`${kind} at Swift`, {
      async open() {
        const { endpoint, name: bucket, stored } = await newSwiftBucket();
        const made = providersOf({ kind, endpoint, bucket, accessKeyId: 'test:tester', secretAccessKey: 'testing' });
        return {
          provider: made.create(),
          restarted: made.restarted,
          stored,
          wrong: [
            ...made.wrong,
            { what: 'a wrong secret', provider: made.wrongSecret, code: 'credentials_refused' },
            { what: 'another region', provider: made.create({ region: 'eu-central-1' }), code: 'wrong_region' },
          ],
          secrets: made.secrets,
          close: made.close,
        };
      },
      lacks: replaces,
      ...sizes,
    });
  }
});

describe.skipIf(!hasRgw())('with Ceph RADOS Gateway', () => {
  let rgw: RunningRgw;
  beforeAll(async () => {
    rgw = await borrowRgw();
  });
  afterAll(() => rgw?.close());

  for (const kind of whole ? (['generic_s3', 'minio_s3'] as const) : []) {
    providerConformance(`${kind} at RGW`, {
      async open() {
        const user = await rgw.newUser();
        const { name: bucket, stored } = await rgw.newBucket(user);
        const made = providersOf({ kind, endpoint: rgw.endpoint, bucket, ...user });
        return {
          provider: made.create(),
          restarted: made.restarted,
          stored,
          // It does not tell a wrong secret from a lack of permission.
          wrong: [...made.wrong, { what: 'a wrong secret', provider: made.wrongSecret, code: 'forbidden' }],
          secrets: made.secrets,
          close: made.close,
        };
      },
      lacks: kind === 'generic_s3' ? replaces : { ...lacks, keepsTakenInParts: 'Ceph ignores the condition where parts are put together' },
      ...sizes,
    });
  }

  test('the command line checks it, step by step', async () => {
    const user = await rgw.newUser();
    const { name: bucket, stored } = await rgw.newBucket(user);
    const fields = { endpoint: rgw.endpoint, client_id: user.accessKeyId, destination: bucket, force_s3_path_style: 'true' };
    const options = Object.entries(fields).flatMap(([name, value]) => ['--field', `${name}=${value}`]);
    const { code, stdout, stderr } = await longshoreHere(
      ['provider', 'check', '--provider', 'generic_s3', ...options, '--folder', 'Portal Downloads', '--allow-private-connections'],
      { env: { LONGSHORE_PROVIDER_CLIENT_SECRET: user.secretAccessKey } },
    );
    expect([code, stderr]).toEqual([0, '']);
    const steps = ['put', 'list', 'get', 'abort', 'delete'].map((step) => `${step.padEnd(8)}ok`);
    expect(stdout).toBe(`${[...steps, 'A connection to Other S3-compatible storage with these fields works.'].join('\n')}\n`);
    expect(await stored()).toEqual([]);
  });

  test('a full quota is told as that, whatever the size of the part', async () => {
    const user = await rgw.newUser();
    const { name: bucket } = await rgw.newBucket(user);
    const made = providersOf({ kind: 'generic_s3', endpoint: rgw.endpoint, bucket, ...user });
    const provider = made.create();
    await rgw.admin(`quota set --quota-scope=user --uid=${user.id} --max-size=1000000`);
    await rgw.admin(`quota enable --quota-scope=user --uid=${user.id}`);
    const bytes = randomBytes(30 * mebibyte);
    for (const size of [2 * mebibyte, bytes.length]) {
      const upload = await begin(provider, `full-${size}.bin`, bytes.subarray(0, size), { partSize: 5 * mebibyte });
      const [range] = partRanges(upload.layout);
      expect(await failureOf(put(provider, upload.handle, range!, bytes)), String(size)).toBe('full');
      await provider.abort({ handle: upload.handle }, new AbortController().signal);
    }
    await made.close();
  });

  test('a role is assumed at STS, and its session moves files', async () => {
    const user = await rgw.newUser();
    const { name: bucket } = await rgw.newBucket(user);
    const role = `Role${randomUUID().slice(0, 8)}`;
    const statement = (more: object) => JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', ...more }] });
    const trust = statement({ Principal: { AWS: [`arn:aws:iam:::user/${user.id}`] }, Action: ['sts:AssumeRole'] });
    const policy = statement({ Action: ['s3:*'], Resource: 'arn:aws:s3:::*' });
    await rgw.admin(`caps add --uid=${user.id} --caps="roles=*"`);
    await rgw.admin(`role create --role-name=${role} --path=/ --assume-role-policy-doc='${trust}'`);
    await rgw.admin(`role-policy put --role-name=${role} --policy-name=P --policy-doc='${policy}'`);
    const made = providersOf({ kind: 'minio_s3', endpoint: rgw.endpoint, bucket, ...user });
    const aws = { accessKeyId: user.accessKeyId, secretAccessKey: user.secretAccessKey, stsEndpoint: rgw.endpoint };
    const access = { by: 'role', roleArn: `arn:aws:iam:::role/${role}`, externalId: '' } as const;
    const provider = made.create({ access }, { aws });
    const bytes = randomBytes(6 * mebibyte);
    const { object } = await store(provider, 'by-role.bin', bytes, { partSize: 5 * mebibyte });
    provider.renew();
    const signal = new AbortController().signal;
    expect((await buffer(await provider.openRange({ id: object.id }, signal))).equals(bytes)).toBe(true);
    const refused = made.create({ access: { ...access, roleArn: `${access.roleArn}-other` } }, { aws });
    const failure = await failureOf(refused.list({ folder: '', count: 1 }, signal));
    expect(failure).toBe('credentials_refused');
    await made.close();
  });
});
