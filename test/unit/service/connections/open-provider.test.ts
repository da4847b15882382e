import { afterEach, expect, it } from 'vitest';
import { ProviderError } from '#providers/errors.ts';
import { sealAuthorization } from '#service/connections/authorization.ts';
import { createCloudProviders } from '#service/connections/open-provider.ts';
import { createSeal } from '#service/seal.ts';
import { closeScripted, emptyList, error, never, serve } from '#test/support/providers/scripted-s3.ts';

afterEach(closeScripted);

const seal = createSeal(new Uint8Array(32).fill(1));
const id = '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b';
const fields = { client_id: 'AKIDTEST', client_secret: 'sesame-opens', destination: 'bucket', region: 'eu', force_s3_path_style: 'true' };

function providersWith({ allowPrivate = true, sealedBy = seal } = {}) {
  const lines: object[] = [];
  const log = { debug: (facts: object) => lines.push(facts), info: (facts: object) => lines.push(facts) };
  const providers = createCloudProviders({ allowPrivate, seal, now: () => new Date(), log });
  const row = (endpoint: string) => ({
    id,
    provider: 'generic_s3' as const,
    sealed_authorization: sealAuthorization(sealedBy, id, { ...fields, endpoint }),
  });
  return { providers, lines, row };
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'none',
    (failure: unknown) => (failure instanceof ProviderError ? failure.code : failure),
  );

it("opens a connection's row and credentials for a single use, and tries again what passes", async () => {
  let asked = 0;
  const endpoint = await serve((_request, response) => (++asked % 2 === 1 ? error(response, 503, 'SlowDown') : emptyList(response)));
  const { providers, lines, row } = providersWith();
  const single = { provider: 'generic_s3', authorization: { ...fields, endpoint } } as const;
  for (const credentials of [row(endpoint), single]) {
    const page = await providers.use(credentials, (provider) => provider.list({ folder: '', count: 1 }, never));
    expect(page.entries).toEqual([]);
  }
  expect(asked).toBe(4);
  expect(lines).toMatchObject([
    { connection: id, provider: 'generic_s3', call: 'list', failure: 'busy (SlowDown 503)' },
    { connection: id, provider: 'generic_s3', call: 'list' },
    { connection: 'single use', call: 'list', failure: 'busy (SlowDown 503)' },
    { connection: 'single use', call: 'list' },
  ]);
  expect(JSON.stringify(lines)).not.toContain('sesame');
});

it('makes as many attempts as its caller waits for', async () => {
  let asked = 0;
  const endpoint = await serve((_request, response) => {
    asked += 1;
    error(response, 503, 'SlowDown');
  });
  const { providers, row } = providersWith();
  const list = providers.use(row(endpoint), (provider) => provider.list({ folder: '', count: 1 }, never), { attempts: 2 });
  expect(await failureOf(list)).toBe('busy');
  expect(asked).toBe(2);
});

it('refuses private addresses unless the operator allows them', async () => {
  let asked = 0;
  const endpoint = await serve(() => {
    asked += 1;
  });
  const { providers, row } = providersWith({ allowPrivate: false });
  for (const address of [endpoint, endpoint.replace('127.0.0.1', 'localhost'), 'http://169.254.169.254', 'http://[::1]:9000']) {
    const list = providers.use(row(address), (provider) => provider.list({ folder: '', count: 1 }, never));
    expect(await failureOf(list), address).toBe('private_address');
  }
  expect(asked).toBe(0);
});

it('says what cannot be opened, and blames the connection', async () => {
  const { providers, row } = providersWith({ sealedBy: createSeal(new Uint8Array(32).fill(2)) });
  const other = await providers.open(row('https://s3.example.com')).catch((failure: unknown) => failure);
  expect(other).toMatchObject({ code: 'misconfigured', blame: 'connection', message: expect.stringContaining('Enter all of them again') });
  expect(await failureOf(providers.open({ provider: 'synology_sg', authorization: {} }))).toBe('not_offered');
});

it('assumes no role for a single use, whose external id nobody vouches for', async () => {
  const { providers } = providersWith();
  const authorization = { role_arn: 'arn:aws:iam::123456789012:role/theirs', external_id: 'known', destination: 'bucket', region: 'eu-1' };
  expect(await failureOf(providers.open({ provider: 'amazon_s3', authorization }))).toBe('misconfigured');
});
