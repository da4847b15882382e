import { afterEach, expect, test, vi } from 'vitest';
import type { Lookup } from '#providers/http/addresses.ts';
import { s3Config } from '#providers/s3/config.ts';
import { createS3Provider } from '#providers/s3/s3-provider.ts';
import { closeScripted, emptyList, list, serve } from '#test/support/providers/scripted-s3.ts';

afterEach(async () => {
  vi.unstubAllEnvs();
  await closeScripted();
});

/** The hosts that a connection to Amazon asks for. None of them is reached. */
async function hostsOf(authorization: Record<string, string>): Promise<string[]> {
  const asked: string[] = [];
  const lookup: Lookup = (hostname, _options, done) => {
    asked.push(hostname);
    done(null, [{ address: '10.0.0.1', family: 4 }]);
  };
  const aws = { accessKeyId: 'AKIDSERVICE', secretAccessKey: 'own' };
  const environment = { mayConnect: () => false, now: () => new Date(), aws };
  const provider = createS3Provider(s3Config('amazon_s3', { destination: 'dailies', ...authorization }), environment, { lookup });
  await expect(list(provider)).rejects.toMatchObject({ code: 'private_address' });
  await provider.close();
  return asked;
}

const key = { client_id: 'AKIDTEST', client_secret: 'sesame-opens' };
const role = { role_arn: 'arn:aws:iam::123456789012:role/Longshore', external_id: 'team-7' };

test("a Team's requests go to Amazon, whatever endpoint the operator has for programs of its own", async () => {
  const asked: string[] = [];
  const own = await serve((request, response) => {
    asked.push(request.url ?? '');
    emptyList(response);
  });
  for (const variable of ['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL_STS']) vi.stubEnv(variable, own);
  expect(await hostsOf({ ...key, region: 'eu-central-1' })).toEqual(['dailies.s3.eu-central-1.amazonaws.com']);
  expect(await hostsOf({ ...role, region: 'eu-central-1' })).toEqual(['sts.eu-central-1.amazonaws.com']);
  expect(asked).toEqual([]);
});

test("China's regions have hosts of their own", async () => {
  expect(await hostsOf({ ...key, region: 'cn-north-1' })).toEqual(['dailies.s3.cn-north-1.amazonaws.com.cn']);
  expect(await hostsOf({ ...role, region: 'cn-north-1' })).toEqual(['sts.cn-north-1.amazonaws.com.cn']);
});

test.each(['evil.example/?', 'evil.example#', 'x@evil.example:443/', 'eu\\west', 'eu central'])(
  'a region is no way to another host: %s',
  (region) => {
    for (const access of [key, role]) {
      expect(() => s3Config('amazon_s3', { destination: 'dailies', ...access, region })).toThrow('no possible name');
    }
  },
);
