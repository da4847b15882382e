import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { withRetry } from '#providers/wrappers/retry.ts';
import { failureOf } from '#test/support/providers/conformance.ts';
import { closeScripted, emptyList, error, list, providerAt, serve, xml } from '#test/support/providers/scripted-s3.ts';

afterEach(closeScripted);

describe('a role', () => {
  const role = { access: { by: 'role', roleArn: 'arn:aws:iam::123456789012:role/Longshore', externalId: 'team-7' } } as const;

  /** STS and a bucket that takes the tokens which are good now. */
  async function withRole(refuse: (token: string) => string | null | Promise<string | null> = () => null, life = 3600) {
    const clock = { now: Date.parse('2026-01-01T00:00:00Z') };
    const assumed: URLSearchParams[] = [];
    const used: string[] = [];
    const sts = await serve(async (request, response) => {
      assumed.push(new URLSearchParams(await text(request)));
      const expiration = new Date(clock.now + life * 1000).toISOString();
      return xml(
        response,
        `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIA</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>token-${assumed.length}</SessionToken><Expiration>${expiration}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
      );
    });
    const endpoint = await serve(async (request, response) => {
      const token = String(request.headers['x-amz-security-token']);
      used.push(token);
      const code = await refuse(token);
      return code === null ? emptyList(response) : error(response, 400, code);
    });
    const aws = { accessKeyId: 'AKIDSERVICE', secretAccessKey: 'own', stsEndpoint: sts };
    const provider = withRetry(providerAt(endpoint, role, { now: () => new Date(clock.now), aws }));
    return { provider, clock, assumed, used };
  }

  test('is assumed with the external ID, once for all requests, and again at 80 % of its life', async () => {
    const { provider, clock, assumed, used } = await withRole();
    await Promise.all([list(provider), list(provider)]);
    clock.now += 2879_000;
    await list(provider);
    expect(used).toEqual(['token-1', 'token-1', 'token-1']);
    clock.now += 1_000;
    await list(provider);
    expect(used.at(-1)).toBe('token-2');
    expect(assumed.map((one) => [one.get('Action'), one.get('RoleArn'), one.get('ExternalId')])).toEqual(
      Array(2).fill(['AssumeRole', role.access.roleArn, 'team-7']),
    );
  });

  test('is assumed once more when its session has ended early', async () => {
    const { provider, used } = await withRole((token) => (token === 'token-1' ? 'ExpiredToken' : null));
    await list(provider);
    expect(used).toEqual(['token-1', 'token-2']);
  });

  test('is assumed once more for all requests that its end has refused, however late they hear of it', async () => {
    const late = Promise.withResolvers<void>();
    let refusals = 0;
    const { provider, assumed, used } = await withRole(async (token) => {
      if (token !== 'token-1') return null;
      if (++refusals === 2) await late.promise;
      return 'ExpiredToken';
    });
    const both = [list(provider), list(provider)];
    await Promise.race(both);
    expect(used.toSorted()).toEqual(['token-1', 'token-1', 'token-2']);
    late.resolve();
    await Promise.all(both);
    expect(used.at(-1)).toBe('token-2');
    expect(assumed.length).toBe(2);
  });

  test('is not assumed again and again', async () => {
    const { provider, assumed } = await withRole(() => 'ExpiredToken');
    expect(await failureOf(list(provider))).toBe('expired');
    expect(assumed.length).toBe(2);
  });

  test('that STS says nothing to holds nobody who has given up', async () => {
    const leaving = new AbortController();
    const stsEndpoint = await serve(() => leaving.abort());
    const provider = providerAt('http://127.0.0.1:1', role, { aws: { accessKeyId: 'A', secretAccessKey: 'own', stsEndpoint } });
    await expect(provider.list({ folder: '', count: 1 }, leaving.signal)).rejects.toMatchObject({ name: 'AbortError' });
  });

  test.each([
    [403, 'AccessDenied', 'credentials_refused', /trust policy/],
    [403, 'InvalidClientTokenId', 'misconfigured', /operator/],
    [503, 'Throttling', 'busy', /patience/],
  ])('that is refused by %i %s is told in words', async (status, name, code, words) => {
    const stsEndpoint = await serve((_request, response) => error(response, status, name));
    const provider = providerAt('http://127.0.0.1:1', role, { aws: { accessKeyId: 'A', secretAccessKey: 'own', stsEndpoint } });
    await expect(list(provider)).rejects.toMatchObject({ code, message: words });
  });
});
