import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CreatedApiKey } from '#protocol/hosted/accounts.ts';
import type { FinalizedPackages, Package } from '#protocol/hosted/packages.ts';
import { readPackage } from '#test/support/service/packages.ts';
import { newPortal, portalSender } from '#test/support/service/portals.ts';
import { newSender, type Sender } from '#test/support/service/sender.ts';
import { callAt, startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addUser } from '#test/support/service/users.ts';

/** Waiting for packages of a Team, and lists of what is new: contract/packages.md §5, §10. */

let t: TestService;
beforeAll(async () => {
  t = await startTestService({ processes: 2 });
});
afterAll(() => t?.close());

const byKey = () => ({ 'x-api-key': t.apiKey });
const pathOf = (query: string): string => `/v1/teams/${t.teamId}/packages/wait?${query}`;
const look = async (query = '', headers: Record<string, string> = byKey()) => {
  const { status, body } = await t.call<FinalizedPackages>('GET', pathOf(query), { headers });
  expect(status).toBe(200);
  return body;
};

async function finalize(sender: Sender): Promise<string> {
  await sender.send('', 'a.mov', Buffer.from('one'));
  expect((await sender.finalize()).status).toBe(204);
  return sender.package.id;
}

/** Begins a call at the second process; resolves once it waits. */
async function begin(query: string, headers: Record<string, string> = byKey()) {
  const { events } = t.services[1]!.services;
  const begun = vi.spyOn(events, 'expectFinalized');
  onTestFinished(() => begun.mockRestore());
  const answer = callAt(t.services[1]!.url)<FinalizedPackages>('GET', pathOf(query), { headers });
  await expect.poll(() => begun.mock.calls.length, { timeout: 60_000 }).toBe(1);
  return { answer };
}

describe('waiting for packages', () => {
  it('is told of one that another process finalizes', async () => {
    const portal = await newPortal(t);
    const sender = await portalSender(t, portal.id);
    const { answer } = await begin('wait=60');
    const id = await finalize(sender);
    const { status, body } = await answer;
    const { finalized_at } = await readPackage(t, id);
    expect([status, body.packages]).toEqual([200, [{ id, portal_id: portal.id, finalized_at }]]);
  });

  it('misses nothing that is finalized between two calls, and is told the time where there is nothing', async () => {
    const { at, packages } = await look('wait=0');
    expect(packages).toEqual([]);
    const id = await finalize(await newSender(t));
    const next = await look(`wait=60&after=${at}`);
    expect(next.packages.map((one) => one.id)).toContain(id);
    expect(next.at >= at).toBe(true);
    expect((await look('wait=0')).packages).toEqual([]);
  });

  it('is told only of what the caller sees', async () => {
    const { at } = await look();
    const [member, friend] = [await addUser(t, 'member'), await addUser(t, 'member')];
    const secret = await newPortal(t, { access_level: 'private', access_list: [friend.userId] });
    const id = await finalize(await portalSender(t, secret.id));
    const seenBy = async (token: string) => (await look(`after=${at}`, { 'x-user-token': token })).packages.map((one) => one.id);
    expect(await seenBy(friend.token)).toContain(id);
    expect(await seenBy(member.token)).not.toContain(id);
    expect((await look(`after=${at}`)).packages.map((one) => one.id)).not.toContain(id);
  });

  it('ends for who leaves the Team meanwhile', async () => {
    const member = await addUser(t, 'member');
    const sender = await newSender(t);
    const { answer } = await begin('wait=60', { 'x-user-token': member.token });
    await t.service.services.db.deleteFrom('memberships').where('user_id', '=', member.userId).execute();
    await finalize(sender);
    expect((await answer).status).toBe(404);
  });

  it('ends for a token without a session whose password was changed meanwhile', async () => {
    const { userId, token } = await addUser(t, 'member');
    const sender = await newSender(t);
    const { answer } = await begin('wait=60', { 'x-user-token': token });
    await t.service.services.db.updateTable('users').set({ token_version: 2 }).where('id', '=', userId).execute();
    for (const { services } of t.services) services.credentials.invalidateUser(userId);
    await finalize(sender);
    expect((await answer).status).toBe(401);
  });

  it('ends for an API key that is switched off meanwhile', async () => {
    const headers = { 'x-user-token': t.userToken };
    const key = await t.call<CreatedApiKey>('POST', `/v1/teams/${t.teamId}/api_keys`, {
      headers,
      body: { name: 'Render farm', state: 'active' },
    });
    const sender = await newSender(t);
    const { answer } = await begin('wait=60', { 'x-api-key': key.body.key });
    expect((await t.call('PUT', `/v1/api_keys/${key.body.id}/inactive`, { headers })).status).toBe(204);
    await finalize(sender);
    expect((await answer).status).toBe(401);
  });

  it('is bounded, and costs nothing once a caller has gone', async () => {
    const member = await addUser(t, 'member');
    const headers = { 'x-user-token': member.token };
    const { events } = t.services[1]!.services;
    const begun = vi.spyOn(events, 'expectFinalized');
    onTestFinished(() => begun.mockRestore());
    const gone = new AbortController();
    const url = `${t.services[1]!.url}${pathOf('wait=60')}`;
    const calls = Array.from({ length: 10 }, () => request(url, { headers, signal: gone.signal }).catch(() => null));
    await expect.poll(() => begun.mock.calls.length, { timeout: 60_000 }).toBe(10);
    const again = () => callAt(t.services[1]!.url)('GET', pathOf('wait=0'), { headers });
    expect((await again()).status).toBe(429);
    gone.abort();
    await Promise.all(calls);
    await expect.poll(async () => (await again()).status, { timeout: 60_000 }).toBe(200);
  });

  it('is answered when its process stops', async () => {
    const own = await startTestService({ processes: 1 });
    onTestFinished(() => own.close());
    const begun = vi.spyOn(own.service.services.events, 'expectFinalized');
    const answer = own.call<FinalizedPackages>('GET', `/v1/teams/${own.teamId}/packages/wait?wait=60`, {
      headers: { 'x-api-key': own.apiKey },
    });
    await expect.poll(() => begun.mock.calls.length, { timeout: 60_000 }).toBe(1);
    await own.stop();
    expect(await answer).toMatchObject({ status: 200, body: { packages: [] } });
  });
});

it('lists what was finalized in a range of times, as each record says', async () => {
  const portal = await newPortal(t);
  const first = await finalize(await portalSender(t, portal.id));
  const open = await portalSender(t, portal.id);
  const { finalized_at: at } = await readPackage(t, first);
  expect(await readPackage(t, open.package.id)).not.toHaveProperty('finalized_at');
  const list = async (query: string) =>
    (await t.call<{ records: Package[] }>('GET', `/v1.1/portals/${portal.id}/packages?${query}`, { headers: byKey() })).body.records;
  const later = new Date(Date.parse(at!) + 1).toISOString();
  expect((await list(`finalized_at_start=${at}`)).map(({ id, finalized_at }) => [id, finalized_at])).toEqual([[first, at]]);
  expect(await list(`finalized_at_start=${later}`)).toEqual([]);
  // What was begun earlier and took longer is new.
  const second = await finalize(open);
  expect((await list(`finalized_at_start=${later}&sort=expiry`)).map(({ id }) => id)).toEqual([second]);
  expect((await list(`finalized_at_end=${at}`)).map(({ id }) => id)).toEqual([first]);
});
