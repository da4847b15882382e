import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CloudFile, Connection, ConnectionCheck } from '#protocol/hosted/connections.ts';
import { accountSas, newContainer } from '#test/support/providers/azurite/azurite.ts';
import { closeScripted, emptyList, serve } from '#test/support/providers/scripted-s3.ts';
import { captureLog } from '#test/support/service/captured-log.ts';
import { callAt, startTestService, type TestService } from '#test/support/service/start-service.ts';
import { borrowRgw, hasRgw, type RgwUser, type RunningRgw } from '#test/support/storage/rgw.ts';
import { hasSwift, newSwiftBucket } from '#test/support/storage/swift.ts';

/** Validating connections and looking into them, against real servers where there are some. */

let t: TestService;
let key: Record<string, string>;
beforeAll(async () => {
  t = await startTestService({ allowPrivateConnections: true });
  key = { 'x-api-key': t.apiKey };
});
afterAll(() => t?.close());
afterEach(closeScripted);

type Refusal = { message: string };
interface Files {
  readonly records: CloudFile[];
  readonly prev_key: string;
}

async function connect(fields: object, at = t): Promise<string> {
  const path = `/v1/teams/${at.teamId}/cloud_connections`;
  const { status, body } = await at.call<Connection & Refusal>('POST', path, { headers: { 'x-api-key': at.apiKey }, body: fields });
  expect([status, body.message]).toEqual([201, undefined]);
  return body.id;
}
const validate = async (id: string, at = t): Promise<ConnectionCheck> => {
  const answer = await at.call<ConnectionCheck>('POST', `/v1/cloud_connections/${id}/validate`, { headers: { 'x-api-key': at.apiKey } });
  expect(answer.status).toBe(200);
  return answer.body;
};
const stateOf = async (id: string): Promise<readonly [string, string]> => {
  const { body } = await t.call<Connection>('GET', `/v1/cloud_connections/${id}`, { headers: key });
  return [body.state, body.state_message];
};
const change = (id: string, authorization: object) =>
  t.call<Connection>('PUT', `/v1/cloud_connections/${id}`, { headers: key, body: { authorization } });
const files = (id: string, query: Record<string, string> = {}) =>
  t.call<Files & Refusal>('GET', `/v1/cloud_connections/${id}/files?${new URLSearchParams(query)}`, { headers: key });

const steps = ['put', 'list', 'get', 'abort', 'delete'];
const allWell = { ok: true, steps: steps.map((step) => ({ step, ok: true, message: '' })), notes: [] };

const s3Fields = (endpoint: string, more: object = {}) => ({
  endpoint,
  client_id: 'AKIDTEST',
  client_secret: 'sesame-opens',
  destination: 'bucket',
  region: 'default',
  force_s3_path_style: 'true',
  ...more,
});

describe.skipIf(!hasRgw())('with Ceph RADOS Gateway', () => {
  let rgw: RunningRgw;
  let user: RgwUser;
  beforeAll(async () => {
    rgw = await borrowRgw();
    user = await rgw.newUser();
  });
  afterAll(() => rgw?.close());

  const fieldsOf = ({ accessKeyId, secretAccessKey }: RgwUser, destination: string) =>
    s3Fields(rgw.endpoint, { client_id: accessKeyId, client_secret: secretAccessKey, destination });

  it('a connection is validated step by step, and nothing stays', async () => {
    const { name, stored } = await rgw.newBucket(user);
    const id = await connect({ provider: 'generic_s3', authorization: fieldsOf(user, name), target_directory_id: 'in/{date}' });
    expect(await validate(id)).toEqual(allWell);
    expect(await stateOf(id)).toEqual(['ok', '']);
    expect(await stored()).toEqual([]);
  });

  it('credentials that are revoked turn it to error, and new ones back', async () => {
    const own = await rgw.newUser();
    const { name } = await rgw.newBucket(own);
    const id = await connect({ provider: 'minio_s3', authorization: fieldsOf(own, name) });
    expect((await validate(id)).ok).toBe(true);
    await rgw.admin(`key rm --uid=${own.id} --key-type=s3 --access-key=${own.accessKeyId}`);
    const refused = await validate(id);
    expect(refused).toMatchObject({
      ok: false,
      steps: [{ step: 'put', ok: false, message: expect.stringMatching(/does not allow this/) }],
    });
    expect(await stateOf(id)).toEqual(['error', refused.steps[0]!.message]);
    const again = { client_id: `${own.accessKeyId}2`, client_secret: `${own.secretAccessKey}2` };
    await rgw.admin(`key create --uid=${own.id} --key-type=s3 --access-key=${again.client_id} --secret-key=${again.client_secret}`);
    // The same credentials, back in their place.
    await rgw.admin(`key create --uid=${own.id} --key-type=s3 --access-key=${own.accessKeyId} --secret-key=${own.secretAccessKey}`);
    expect(await validate(id)).toEqual(allWell);
    expect(await stateOf(id)).toEqual(['ok', '']);
    await rgw.admin(`key rm --uid=${own.id} --key-type=s3 --access-key=${own.accessKeyId}`);
    expect((await validate(id)).ok).toBe(false);
    expect((await change(id, again)).body).toMatchObject({ state: 'ok', state_message: '' });
    expect(await validate(id)).toEqual(allWell);
  });

  it('a bucket that is gone is told in words', async () => {
    const id = await connect({ provider: 'generic_s3', authorization: fieldsOf(user, 'absent') });
    expect((await validate(id)).steps).toEqual([
      { step: 'put', ok: false, message: expect.stringMatching(/^There is no bucket of this name/) },
    ]);
    expect(await stateOf(id)).toEqual(['error', expect.stringMatching(/^There is no bucket/)]);
  });

  describe('files to collect', () => {
    // With a dot in its name it is addressed by path, which this server needs.
    const bucket = `collect.${randomUUID()}`;
    let client: S3Client;
    let id: string;
    const from = (sources: readonly string[], destination = bucket) =>
      connect({
        provider: 'wasabi_s3',
        direction: 'cloud_to_service',
        authorization: fieldsOf(user, destination),
        source_directory_ids: sources,
      });
    beforeAll(async () => {
      const { accessKeyId, secretAccessKey } = user;
      client = new S3Client({
        endpoint: rgw.endpoint,
        region: 'us-east-1',
        forcePathStyle: true,
        credentials: { accessKeyId, secretAccessKey },
      });
      await client.send(new CreateBucketCommand({ Bucket: bucket }));
      const keys = ['dailies/a.mov', 'dailies/b.mov', 'dailies/day 2/c.mov', 'dailies secret/d.mov', 'stills/e.jpg', 'payroll.csv'];
      for (const Key of keys) await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: `bytes of ${Key}` }));
      id = await from(['dailies', '/stills/']);
    });
    afterAll(() => client?.destroy());

    it('are listed from the folders to begin with down', async () => {
      const roots = [
        { id: 'dailies', name: 'dailies', kind: 'directory' },
        { id: 'stills', name: 'stills', kind: 'directory' },
      ];
      expect((await files(id)).body).toEqual({ records: roots, prev_key: '' });
      const first = (await files(id, { count: '1' })).body;
      expect(first.records).toEqual([roots[0]]);
      expect((await files(id, { count: '1', prev_key: first.prev_key })).body).toEqual({ records: [roots[1]], prev_key: '' });
      for (const prefix of ['dailies', 'dailies/']) {
        expect((await files(id, { prefix })).body, prefix).toEqual({
          records: [
            { id: 'dailies/a.mov', name: 'a.mov', kind: 'file', size: 22, last_modified: expect.stringMatching(/^20.*Z$/) },
            { id: 'dailies/b.mov', name: 'b.mov', kind: 'file', size: 22, last_modified: expect.any(String) },
            { id: 'dailies/day 2/', name: 'day 2', kind: 'directory' },
          ],
          prev_key: '',
        });
      }
      expect((await files(id, { prefix: 'dailies/day 2/' })).body.records.map((one) => one.id)).toEqual(['dailies/day 2/c.mov']);
      expect((await files(id, { prefix: 'stills/none' })).body).toEqual({ records: [], prev_key: '' });
    });

    it('are listed page by page', async () => {
      const seen: string[] = [];
      let next = '';
      do {
        const { status, body } = await files(id, { prefix: 'dailies', count: '1', prev_key: next });
        expect(status).toBe(200);
        expect(body.records.length).toBeLessThanOrEqual(1);
        seen.push(...body.records.map((one) => one.name));
        next = body.prev_key;
      } while (next !== '');
      expect(seen).toEqual(['a.mov', 'b.mov', 'day 2']);
    });

    it('end at the fence, whatever is asked', async () => {
      for (const prefix of [
        'dailies secret',
        'dailie',
        '/',
        '.',
        'dailies/..',
        'dailies/../stills',
        'payroll.csv',
        'Dailies',
        '/dailies',
      ]) {
        expect(await files(id, { prefix }), prefix).toMatchObject({ status: 404, body: { message: expect.stringContaining('no folder') } });
      }
      const { prev_key } = (await files(id, { prefix: 'dailies', count: '1' })).body;
      const other = await from([]);
      const tries: [string, Record<string, string>][] = [
        [id, { prefix: 'stills', prev_key }],
        [id, { prefix: 'dailies/', prev_key }],
        [id, { prev_key }],
        [other, { prefix: 'dailies', prev_key }],
        [id, { prefix: 'dailies', prev_key: `${prev_key.startsWith('A') ? 'B' : 'A'}${prev_key.slice(1)}` }],
        [id, { prefix: 'dailies', prev_key: 'payroll.csv' }],
        [id, { prefix: 'dailies', prev_key: Buffer.from('dailies secret/').toString('base64url') }],
      ];
      for (const [connection, query] of tries) {
        const answer = await files(connection, query);
        expect([answer.status, answer.body.message], JSON.stringify(query)).toEqual([400, expect.stringContaining('prev_key')]);
      }
    });

    it('are those of the whole bucket where no folders are named', async () => {
      const all = (await files(await from([]))).body.records.map((one) => one.id);
      expect(all).toEqual(['dailies secret/', 'dailies/', 'payroll.csv', 'stills/']);
      expect((await files(await from(['stills', '/']))).body.records).toHaveLength(4);
    });

    it('are validated by listing and reading, without writing', async () => {
      const listedAndRead = { ok: true, steps: ['list', 'get'].map((step) => ({ step, ok: true, message: '' })), notes: [] };
      expect(await validate(id)).toEqual(listedAndRead);
      expect(await validate(await from(['none', '/stills/']))).toEqual(listedAndRead);
      expect(await validate(await from([]))).toEqual(listedAndRead);
      const empty = await validate(await from(['none']));
      expect(empty).toMatchObject({ ok: true, steps: [{ step: 'list', ok: true }], notes: [expect.stringContaining('no file to read')] });
    });

    it('that the provider refuses turn the connection to error', async () => {
      const gone = await from([], `gone.${randomUUID()}`);
      const answer = await files(gone);
      expect([answer.status, answer.body.message]).toEqual([409, expect.stringMatching(/^There is no bucket/)]);
      expect(await stateOf(gone)).toEqual(['error', answer.body.message]);
    });

    it('are within bounds', async () => {
      for (const count of ['0', '1001', 'x']) expect((await files(id, { count })).status, count).toBe(400);
      expect((await files(id, { prefix: 'dailies', count: '1000' })).status).toBe(200);
      const outgoing = await connect({ provider: 'generic_s3', authorization: fieldsOf(user, bucket) });
      expect(await files(outgoing)).toMatchObject({ status: 400, body: { message: expect.stringContaining('cloud_to_service') } });
    });
  });
});

describe.skipIf(!hasSwift())('with OpenStack Swift', () => {
  it('a connection is validated, a wrong secret is told, and nothing stays', async () => {
    const { endpoint, name, stored } = await newSwiftBucket();
    const authorization = s3Fields(endpoint, { client_id: 'test:tester', client_secret: 'testing', destination: name });
    const id = await connect({ provider: 'generic_s3', authorization });
    expect(await validate(id)).toEqual(allWell);
    expect(await stored()).toEqual([]);
    await change(id, { client_secret: 'wrong' });
    expect((await validate(id)).steps[0]!.message).toMatch(/^The secret access key is not the one/);
    expect((await stateOf(id))[0]).toBe('error');
    await change(id, { client_secret: 'testing' });
    expect(await validate(id)).toEqual(allWell);
  });
});

describe('with Azurite', () => {
  it('a connection is validated, and tells when its SAS is over', async () => {
    const { name, service, stored } = await newContainer();
    const sas = (more = {}) => ({ blob_service_sas_url: `${service}?${accountSas(more)}` });
    const id = await connect({ provider: 'azure', authorization: { ...sas(), destination: name } });
    const check = await validate(id);
    expect(check).toMatchObject({ ok: true, steps: steps.map((step) => ({ step, ok: true })) });
    expect(check.notes.join(' ')).toMatch(/SAS/);
    expect(await stored()).toEqual([]);
    await change(id, sas({ permissions: 'rl' }));
    const refused = await validate(id);
    expect(refused.ok).toBe(false);
    expect(JSON.stringify(refused)).not.toContain('sig=');
    expect((await stateOf(id))[0]).toBe('error');
    await change(id, sas());
    expect((await validate(id)).ok).toBe(true);
    expect((await stateOf(id))[0]).toBe('ok');
  });
});

describe('a connection', () => {
  it('to a private address is refused unless the operator allows it', async () => {
    let asked = 0;
    const endpoint = await serve((_request, response) => {
      asked += 1;
      emptyList(response);
    });
    const careful = await startTestService();
    try {
      const bucket = { provider: 'wasabi_s3', direction: 'cloud_to_service' };
      for (const address of [endpoint, endpoint.replace('127.0.0.1', 'localhost'), 'http://169.254.169.254']) {
        const id = await connect({ ...bucket, authorization: s3Fields(address, { destination: 'a.bucket' }) }, careful);
        const check = await validate(id, careful);
        expect(check.steps, address).toEqual([{ step: 'list', ok: false, message: expect.stringContaining('private network') }]);
        const path = `/v1/cloud_connections/${id}/files`;
        expect((await careful.call('GET', path, { headers: { 'x-api-key': careful.apiKey } })).status).toBe(409);
      }
      expect(asked).toBe(0);
    } finally {
      await careful.close();
    }
  });

  it('is not led elsewhere with its credentials', async () => {
    const elsewhere: (string | undefined)[] = [];
    const other = await serve((request, response) => {
      elsewhere.push(request.headers.authorization);
      emptyList(response);
    });
    for (const status of [301, 302, 307, 308]) {
      const endpoint = await serve((_request, response) => response.writeHead(status, { location: `${other}/bucket` }).end());
      const id = await connect({ provider: 'generic_s3', authorization: s3Fields(endpoint) });
      expect((await validate(id)).ok, String(status)).toBe(false);
      expect((await stateOf(id))[0], String(status)).toBe('error');
    }
    expect(elsewhere).toEqual([]);
  });

  it('whose server fails for now is as its last validation says, and stays as it was for others', async () => {
    let fails = true;
    const endpoint = await serve((_request, response) => (fails ? response.writeHead(503).end() : emptyList(response)));
    const source = {
      provider: 'wasabi_s3',
      direction: 'cloud_to_service',
      authorization: s3Fields(endpoint, { destination: 'a.bucket' }),
    };
    const id = await connect(source);
    const files503 = await files(id);
    expect([files503.status, files503.body.message]).toEqual([503, expect.stringContaining('it is busy')]);
    expect(await stateOf(id)).toEqual(['ok', '']);
    const check = await validate(id);
    expect(check.ok).toBe(false);
    expect(await stateOf(id)).toEqual(['error', check.steps.find(({ ok }) => !ok)!.message]);
    fails = false;
    expect((await validate(id)).ok).toBe(true);
    expect(await stateOf(id)).toEqual(['ok', '']);
  });

  it('that is changed while it is validated keeps the state of what it is now', async () => {
    let id = '';
    const endpoint = await serve(async (_request, response) => {
      await change(id, { client_secret: 'new' });
      response.writeHead(403, { 'content-type': 'application/xml' }).end('<Error><Code>InvalidAccessKeyId</Code></Error>');
    });
    id = await connect({ provider: 'generic_s3', authorization: s3Fields(endpoint) });
    expect((await validate(id)).ok).toBe(false);
    expect(await stateOf(id)).toEqual(['ok', '']);
  });

  it('that needs a gateway, or has none to be asked, says so', async () => {
    const gateway = await connect({ provider: 'synology_sg', authorization: {} });
    expect((await validate(gateway)).steps).toEqual([{ step: 'put', ok: false, message: expect.stringContaining('storage gateway') }]);
    expect((await stateOf(gateway))[0]).toBe('offline');
    const postlab = await connect({ provider: 'postlab', authorization: { team_id: 'key' } });
    expect((await validate(postlab)).steps).toEqual([{ step: 'put', ok: false, message: expect.stringContaining('PostLab') }]);
    expect(await stateOf(postlab)).toEqual(['error', expect.stringContaining('PostLab')]);
  });

  it('is validated a few times at once, and no longer when nobody waits', async () => {
    const arrived = Promise.withResolvers<void>();
    const broken = Promise.withResolvers<void>();
    let open = 0;
    const endpoint = await serve((_request, response) => {
      open += 1;
      if (open === 4) arrived.resolve();
      response.once('close', () => {
        open -= 1;
        if (open === 0) broken.resolve();
      });
    });
    const id = await connect({ provider: 'generic_s3', authorization: s3Fields(endpoint) });
    const leaving = new AbortController();
    const path = `/v1/cloud_connections/${id}/validate`;
    const waiting = Array.from({ length: 4 }, () =>
      fetch(t.url + path, { method: 'POST', headers: key, signal: leaving.signal }).catch(() => null),
    );
    await arrived.promise;
    // Each process counts for itself.
    const fifth = await callAt(t.url)('POST', path, { headers: key });
    expect([fifth.status, fifth.headers.get('retry-after')]).toEqual([429, '10']);
    const log = captureLog();
    leaving.abort();
    await Promise.all(waiting);
    await broken.promise;
    expect(await stateOf(id)).toEqual(['ok', '']);
    log.end();
    expect(log.lines()).toEqual([]);
  });
});
