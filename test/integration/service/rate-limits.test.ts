import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownerEmail, ownerPassword, startTestService, type TestService } from '#test/support/service/start-service.ts';

let at: TestService;
beforeAll(async () => {
  at = await startTestService({ limits: { perCredential: 20, perAddress: 200, signInsPerAddress: 3, refusalsPerAddress: 5 } });
});
afterAll(() => at?.close());

const statuses = async (count: number, send: (index: number) => Promise<{ status: number }>) => {
  const seen = [];
  for (let index = 0; index < count; index += 1) seen.push((await send(index)).status);
  return seen;
};

it('limits sign-ins from one address, even right ones', async () => {
  // The test service has signed in once already.
  const seen = await statuses(3, () => at.call('POST', '/v1/auth', { body: { email: ownerEmail, password: ownerPassword } }));
  expect(seen).toEqual([200, 200, 429]);
});

it('limits one credential without limiting another', async () => {
  const seen = await statuses(21, () => at.call('GET', '/v1/users/me', { headers: { 'x-api-key': at.apiKey } }));
  expect(seen).toEqual([...Array(20).fill(200), 429]);
  const answer = await at.call('GET', '/v1/users/me', { headers: { 'x-api-key': at.apiKey } });
  expect(answer.body).toMatchObject({ code: 393217 });
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await at.call('GET', '/v1/users/me', { headers: { 'x-user-token': at.userToken } })).status).toBe(200);
});

it('limits wrong credentials from one address, whatever they are, and not right ones', async () => {
  const seen = await statuses(7, (index) => at.call('GET', '/v1/users/me', { headers: { 'x-api-key': `ls_${index}` } }));
  expect(seen).toEqual([401, 401, 401, 401, 401, 429, 429]);
  expect((await at.call('GET', '/v1/users/me', { headers: { 'x-user-token': at.userToken } })).status).toBe(200);
});

it('limits an address over all its credentials', async () => {
  const seen = await statuses(200, (index) => at.call('GET', '/v1/system/packages/spec', { headers: { 'x-api-key': `ls_${index}` } }));
  expect(seen.at(0)).toBe(200);
  expect(seen.at(-1)).toBe(429);
});
