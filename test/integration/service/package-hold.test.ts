import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AuditEntry } from '#protocol/hosted/audit.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { newId } from '#service/ids.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { managing, packageState, putPackage, readPackage } from '#test/support/service/packages.ts';
import { newSender, openLink } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

/** Packages on hold (contract/packages.md §4). */

let t: TestService;
beforeAll(async () => {
  t = await startTestService();
});
afterAll(() => t?.close());

const owner = () => ({ 'x-api-key': t.apiKey });
const holdOf = (id: string) => `/v1/teams/${t.teamId}/packages/${id}/hold`;
const hold = (id: string, reason = 'Dispute 117') => t.call('PUT', holdOf(id), { headers: owner(), body: { reason } });
const lift = (id: string) => t.call('DELETE', holdOf(id), { headers: owner() });
const ofTeam = async (id: string) => (await t.call<Package>('GET', `/v1/teams/${t.teamId}/packages/${id}`, { headers: owner() })).body;
const remove = async (id: string) => t.call<{ message: string }>('DELETE', `/v1/packages/${id}`, { headers: await managing(t, id) });
const expire = () => runJob(t.service.services, 'packages.expire', {});
const past = () => new Date(Date.now() - 1_000);
const cleanUp = (id: string) => runJob(t.service.services, 'packages.free', { package_id: id });

it('keeps a package with its bytes from its expiry and from everybody, until it is lifted', async () => {
  const sender = await newSender(t, { name: 'Evidence', recipients: ['a@x.org'] });
  const { file } = await sender.send('', 'evidence.mov', Buffer.from('what was sent'));
  expect((await sender.finalize()).status).toBe(204);
  const { id } = sender.package;
  const [link] = await sender.links();
  expect((await hold(id)).status).toBe(204);
  await t.service.services.db.updateTable('packages').set({ expiry: past() }).where('id', '=', id).execute();
  await expire();
  expect(await remove(id)).toMatchObject({ status: 409, body: { message: expect.stringContaining('This package is on hold') } });
  await cleanUp(id);
  expect(await packageState(t, id)).toBe('finalized');
  expect(await t.service.services.storage.head(file.id)).not.toBeNull();
  // Its links have had their time.
  expect((await openLink(t, link!)).status).toBe(410);

  // Who has to read it gives it a later end.
  const expiry = new Date(Date.now() + 3_600_000).toISOString();
  const later = await t.call('PUT', `/v1/packages/${id}/expiry`, { headers: await managing(t, id), body: { expiry } });
  expect(later.status).toBe(200);
  expect((await openLink(t, link!)).status).toBe(200);

  await t.service.services.db.updateTable('packages').set({ expiry: past() }).where('id', '=', id).execute();
  expect((await lift(id)).status).toBe(204);
  await expire();
  expect(await packageState(t, id)).toBe('expired');
});

it('tells recipients after its time what is told of any package', async () => {
  const sent = async (held: boolean) => {
    const sender = await newSender(t, { name: 'Told', recipients: ['a@x.org'] });
    await sender.send('', 'a.mov', Buffer.from('bytes'));
    expect((await sender.finalize()).status).toBe(204);
    const { id } = sender.package;
    const [link] = await sender.links();
    if (held) await hold(id);
    const { body: opened } = await openLink(t, link!);
    const token = { 'x-package-token': opened.package_token };
    expect((await t.call<Package>('GET', `/v1/packages/${id}`, { headers: token })).body).not.toHaveProperty('hold');
    await t.service.services.db.updateTable('packages').set({ expiry: past() }).where('id', '=', id).execute();
    return { id, answers: [await openLink(t, link!), await t.call('GET', `/v1/packages/${id}/files`, { headers: token })] };
  };
  const [held, plain] = [await sent(true), await sent(false)];
  expect(held.answers.map(({ status }) => status)).toEqual([410, 410]);
  expect(held.answers.map(({ body }) => body)).toEqual(plain.answers.map(({ body }) => body));
  expect(JSON.stringify(held.answers.map(({ body }) => body))).not.toMatch(/delete|hold/);
  expect((await lift(held.id)).status).toBe(204);
});

it('is seen with its reason by the Team alone, and told to the audit log', async () => {
  const id = await putPackage(t, { name: 'Told' });
  expect(await ofTeam(id)).not.toHaveProperty('hold');
  await hold(id, 'First');
  const { hold: first } = await ofTeam(id);
  await hold(id, ' Second ');
  expect(await ofTeam(id)).toMatchObject({ hold: { since: first!.since, reason: 'Second' } });
  // A management token is of somebody of the Team, who manages it.
  expect(await readPackage(t, id)).toMatchObject({ hold: { reason: 'Second' } });
  await lift(id);
  expect((await lift(id)).status).toBe(204);
  expect(await ofTeam(id)).not.toHaveProperty('hold');
  await runJob(t.service.services, 'audit.chain', {});
  const log = await t.call<{ records: AuditEntry[] }>('GET', `/v1/teams/${t.teamId}/audit_log?limit=50`, {
    headers: { 'x-user-token': t.userToken },
  });
  const told = log.body.records.filter(({ target }) => target?.id === id).map(({ action, details }) => [action, details]);
  expect(told.toReversed().slice(0, 3)).toEqual([
    ['package.held', { reason: 'First' }],
    ['package.held', { reason: ' Second ' }],
    ['package.hold_lifted', {}],
  ]);
});

it.each([
  ['new', 'is not finalized yet'],
  ['expired', 'have been deleted already'],
] as const)('is not for a package that is %s', async (state, words) => {
  const id = await putPackage(t, { state });
  expect(await hold(id)).toMatchObject({ status: 409, body: { message: expect.stringContaining(words) } });
});

it('is not for packages of nobody, and wants a reason', async () => {
  expect((await hold(newId())).status).toBe(404);
  expect((await lift(newId())).status).toBe(404);
  const id = await putPackage(t);
  for (const reason of ['', '   ', 'x'.repeat(256)])
    expect(await hold(id, reason)).toMatchObject({ status: 400, body: { message: expect.stringContaining('reason') } });
});

it('and a deletion at the same moment: one of both comes first, and the other hears of it', async () => {
  for (let round = 0; round < 10; round += 1) {
    const id = await putPackage(t, { expiry: past() });
    const [held, removed] = await Promise.all([hold(id), remove(id), expire()]);
    const state = await packageState(t, id);
    expect([held.status, state]).toEqual(state === 'finalized' ? [204, 'finalized'] : [409, 'expired']);
    if (state === 'finalized') expect(removed.status).toBe(409);
  }
});
