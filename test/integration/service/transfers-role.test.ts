import { randomBytes, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { CreateBucketCommand, GetObjectCommand, ListMultipartUploadsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Connection } from '#protocol/hosted/connections.ts';
import type { File } from '#protocol/hosted/files.ts';
import { type Amazon, type AmazonRequest, leadAmazonTo } from '#test/support/providers/amazon.ts';
import { newSender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { askTransfer, changeTransfer, sentPackage, transferBecomes } from '#test/support/service/transfers.ts';
import { borrowRgw, hasRgw, type RunningRgw } from '#test/support/storage/rgw.ts';

const mebibyte = 1024 * 1024;
/** Of the account, as Amazon writes them. */
const account = '123456789012';

/** A Team's bucket at Amazon whose role the service assumes: real sessions of a real STS, which end in the middle of a transfer. */
describe.skipIf(!hasRgw())('a transfer by a role', () => {
  let t: TestService;
  let rgw: RunningRgw;
  let amazon: Amazon;
  let client: S3Client;
  let bucket: string;
  let role: string;
  const files = { 'large.mov': randomBytes(13 * mebibyte + 3), 'small.wav': randomBytes(700) };

  const allowing = (statement: Readonly<Record<string, unknown>>): string =>
    JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', ...statement }] });
  const owner = `owner${randomUUID().slice(0, 8)}`;

  beforeAll(async () => {
    rgw = await borrowRgw();
    const accessKeyId = `AKID${randomUUID().slice(0, 8).toUpperCase()}`;
    const secretAccessKey = `secret-${randomUUID()}`;
    await rgw.admin(
      `user create --tenant=${account} --uid=${owner} --display-name=${owner} --access-key=${accessKeyId} --secret=${secretAccessKey}`,
    );
    await rgw.admin(`caps add --tenant=${account} --uid=${owner} --caps="roles=*"`);
    // The service's own identity, where the tools of Amazon look for it.
    vi.stubEnv('AWS_ACCESS_KEY_ID', accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', secretAccessKey);
    client = new S3Client({
      endpoint: rgw.endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey },
    });
    t = await startTestService({ processes: 1 });
  });
  afterAll(async () => {
    await t?.close();
    client?.destroy();
    await rgw?.close();
    vi.unstubAllEnvs();
  });

  beforeEach(async () => {
    amazon = await leadAmazonTo(rgw.endpoint);
    bucket = `dailies.${randomUUID()}`;
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    role = `Role${randomUUID().slice(0, 8)}`;
    const trust = allowing({ Principal: { AWS: [`arn:aws:iam::${account}:user/${owner}`] }, Action: ['sts:AssumeRole'] });
    const policy = allowing({ Action: ['s3:*'], Resource: 'arn:aws:s3:::*' });
    await rgw.admin(`role create --tenant=${account} --role-name=${role} --path=/ --assume-role-policy-doc='${trust}'`);
    await rgw.admin(`role-policy put --tenant=${account} --role-name=${role} --policy-name=P --policy-doc='${policy}'`);
  });
  afterEach(() => amazon?.close());

  async function connect(direction: 'service_to_cloud' | 'cloud_to_service'): Promise<Connection> {
    const { status, body } = await t.call<Connection>('POST', `/v1/teams/${t.teamId}/cloud_connections`, {
      headers: { 'x-user-token': t.userToken },
      body: {
        name: 'Archive',
        provider: 'amazon_s3',
        direction,
        authorization: { destination: bucket, region: 'eu-central-1', role_arn: `arn:aws:iam::${account}:role/${role}` },
      },
    });
    expect(status, JSON.stringify(body)).toBe(201);
    return body;
  }

  const connectionNow = async ({ id }: Connection): Promise<Connection> =>
    (await t.call<Connection>('GET', `/v1/cloud_connections/${id}`, { headers: { 'x-user-token': t.userToken } })).body;

  const isPart = ({ method, query }: AmazonRequest): boolean => method === 'PUT' && query.has('partNumber');
  const assumed = (): number => amazon.requests.filter(({ host, status }) => host.startsWith('sts.') && status === 200).length;
  const confirmedParts = (): (string | null)[] =>
    amazon.requests.filter((request) => isPart(request) && request.status === 200).map(({ query }) => query.get('partNumber'));

  /**
   * The first session ends once a part was confirmed by it: from then on each of its parts is refused. `trusted` tells whether the
   * role may be assumed again.
   */
  function endSession(trusted: () => boolean): void {
    amazon.before = async (request) => {
      if (request.host.startsWith('sts.')) return assumed() === 0 || trusted() ? null : { status: 403, code: 'AccessDenied' };
      const first = amazon.requests.find(isPart);
      if (
        !isPart(request) ||
        request.sessionToken !== first?.sessionToken ||
        request.query.get('partNumber') === first.query.get('partNumber')
      )
        return null;
      await vi.waitFor(() => expect(confirmedParts().length).toBeGreaterThan(0), { timeout: 20_000 });
      return { status: 400, code: 'ExpiredToken' };
    };
  }

  async function expectArrived(): Promise<void> {
    for (const [name, bytes] of Object.entries(files)) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: `Longshore/Dailies/${name}` }));
      expect((await buffer(Body as NodeJS.ReadableStream)).equals(bytes), name).toBe(true);
    }
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
    expect(Uploads).toEqual([]);
    // Each part by one session or another, and none by both.
    const parts = confirmedParts();
    expect(new Set(parts).size).toBe(parts.length);
  }

  it('whose session ends in the middle goes on with another one, in the same attempt', async () => {
    endSession(() => true);
    const connection = await connect('service_to_cloud');
    const sender = await sentPackage(t, files);
    const { body: made } = await askTransfer(t, sender, { cloud_connection_id: connection.id });
    expect(await transferBecomes(t, made, 'complete')).toMatchObject({ attempts: 1, progress: { files: 2 } });
    expect(assumed()).toBe(2);
    expect((await connectionNow(connection)).state).toBe('ok');
    await expectArrived();
  });

  it('that is not trusted any more says what to do, and goes on by retry once it is again', async () => {
    let trusted = false;
    endSession(() => trusted);
    const connection = await connect('service_to_cloud');
    const sender = await sentPackage(t, files);
    const { body: made } = await askTransfer(t, sender, { cloud_connection_id: connection.id });
    const failed = await transferBecomes(t, made, 'error');
    expect(failed.error).toMatch(/The role may not be assumed. Its trust policy must name this service's identity as principal/);
    expect(await connectionNow(connection)).toMatchObject({ state: 'error', state_message: failed.error });
    trusted = true;
    expect((await changeTransfer(t, made, 'retry')).status).toBe(204);
    expect(await transferBecomes(t, made, 'complete')).toMatchObject({ attempts: 2, progress: { files: 2 } });
    await expectArrived();
  });

  it('brings files in', async () => {
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'reel/a.mov', Body: files['small.wav'] }));
    const connection = await connect('cloud_to_service');
    const sender = await newSender(t);
    const { body: made } = await askTransfer(t, sender, {
      cloud_connection_id: connection.id,
      files: [{ id: 'reel', name: 'Reel', kind: 'directory' }],
    });
    await transferBecomes(t, made, 'complete');
    const { body: brought } = await t.call<File[]>('GET', `/v1/packages/${sender.package.id}/files`, { headers: sender.token });
    expect(brought).toMatchObject([{ path: 'Reel', name: 'a.mov', size: 700, state: 'finalized' }]);
    expect(assumed()).toBe(1);
  });
});
