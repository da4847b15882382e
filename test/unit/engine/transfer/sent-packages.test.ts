import { expect, it } from 'vitest';
import { createHostedClient } from '#client/hosted.ts';
import type { Fetcher } from '#client/ports.ts';
import { createSentPackages } from '#engine/transfer/sent-packages.ts';
import { ApiError, errorCatalogue } from '#protocol/errors.ts';

/** A sender's view of a package whose token ends while its page is open (contract/agent.md §14). */

const past = '2026-11-20T08:00:00.000Z';
const found = {
  ...{ id: 'p1', name: 'Day 1, renamed', state: 'finalized', size: 5, total_files: 1, expiry: past, unlimited_storage: true, password: '' },
  access_token: 'fresh',
};

interface Service {
  /** The token that is good. */
  token: string;
  /** Whether it can be asked for one package of a Team. */
  isOld?: boolean;
  /** Whether whoever is signed in sees the package. */
  isHidden?: boolean;
}

function setting(service: Service) {
  const asked: string[] = [];
  const refuse = (error: 'credential_invalid' | 'not_found' | 'no_such_endpoint', status: number) => ({
    status,
    headers: {},
    text: JSON.stringify({ code: errorCatalogue[error].code, message: error }),
  });
  const answer = (body: unknown) => ({ status: 200, headers: { 'content-type': 'application/json' }, text: JSON.stringify(body) });
  const fetcher: Fetcher = async ({ method, url, headers }) => {
    const { pathname } = new URL(url);
    asked.push(`${method} ${pathname}`);
    const list = { records: [], metadata: { total: 0 } };
    if (pathname.startsWith('/v1.1/teams/')) return answer(service.isHidden ? list : { records: [found], metadata: { total: 1 } });
    if (pathname.startsWith('/v1/teams/')) {
      if (service.isOld) return refuse('no_such_endpoint', 404);
      return service.isHidden ? refuse('not_found', 404) : answer(found);
    }
    if (headers['x-package-token'] !== service.token) return refuse('credential_invalid', 401);
    if (pathname.endsWith('/links')) return answer([]);
    return answer(pathname.endsWith('/downloads') ? list : found);
  };
  const record = {
    kind: 'upload',
    name: 'Day 1',
    request: { serviceUrl: 'https://share.example.com', teamId: 't1' },
    facts: { package: { state: 'finalized', id: 'p1' } },
    secrets: { packageToken: 'first', links: [] },
  };
  const saved: unknown[] = [];
  const sent = createSentPackages({
    registry: {
      get: () => record as never,
      patchUploadSecrets(_: string, secrets: object) {
        saved.push(secrets);
        Object.assign(record.secrets, secrets);
        return undefined as never;
      },
    },
    writer: { committed: async () => undefined },
    session: {
      hosted: () => ({
        client: createHostedClient({ baseUrl: 'https://share.example.com', fetcher, credential: { kind: 'user', token: 'mia' } }),
        refused: async () => new ApiError('credential_invalid'),
      }),
    },
    jobs: { transport: { fetcher } as never },
  });
  return { sent, asked, saved };
}

it('goes on with a new token, asked for once, whatever the package is called by now', async () => {
  const service: Service = { token: 'first' };
  const { sent, asked, saved } = setting(service);
  expect(await sent.get('u1')).toMatchObject({ id: 'p1', state: 'finalized' });
  expect(saved).toEqual([]);
  // It ends while the page is open.
  service.token = 'fresh';
  asked.length = 0;
  expect(await sent.get('u1')).toMatchObject({ name: 'Day 1, renamed', can_mail: true });
  expect(saved).toEqual([{ packageToken: 'fresh' }]);
  expect(asked.filter((one) => one.startsWith('GET /v1/teams/'))).toEqual(['GET /v1/teams/t1/packages/p1']);
  asked.length = 0;
  await sent.setExpiry('u1', { unlimited_storage: true });
  expect(asked.filter((one) => one.includes('/teams/'))).toEqual([]);
});

it('finds it in the list of a service of an earlier version', async () => {
  const { sent, saved } = setting({ token: 'fresh', isOld: true });
  expect(await sent.get('u1')).toMatchObject({ id: 'p1' });
  expect(saved).toEqual([{ packageToken: 'fresh' }]);
});

it.each([false, true])('says so where nobody who is signed in may manage it (an older service: %s)', async (isOld) => {
  const { sent, saved } = setting({ token: 'fresh', isHidden: true, isOld });
  await expect(sent.get('u1')).rejects.toMatchObject({ error: 'not_allowed' });
  expect(saved).toEqual([]);
});
