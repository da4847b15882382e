import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Download } from '#protocol/hosted/downloads.ts';
import type { TeamOverview } from '#protocol/hosted/overview.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { type LinkedPackage, linkedPackage } from '#test/support/service/download-link.ts';
import { managing, putPackage } from '#test/support/service/packages.ts';
import { openLink } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';
import { eventually } from '#test/support/system/processes.ts';

let t: TestService;
beforeAll(async () => {
  t = await startTestService();
});
afterAll(async () => {
  await t?.close();
});

const hour = 3_600_000;
const fromNow = (milliseconds: number) => new Date(t.service.services.now().getTime() + milliseconds);

/** Opens the link as another recipient's program, and asks for one file, or for all of them at once. */
async function download({ sender, link, files }: LinkedPackage, userAgent: string, how: 'one' | 'batch'): Promise<void> {
  const opened = await openLink(t, link);
  const headers = { 'x-package-token': opened.body.package_token, 'user-agent': userAgent };
  const ids = [...files.values()].filter(({ kind }) => kind === 'file').map(({ id }) => id);
  const path = `/v1/packages/${sender.package.id}/files`;
  const answer =
    how === 'one'
      ? await t.call('GET', `${path}/${ids[0]}/download`, { headers })
      : await t.call('POST', `${path}/batch/download`, { headers, body: { file_ids: ids } });
  expect(answer.status).toBe(200);
}

const pageOf = async (packageId: string, query = '') => {
  const headers = await managing(t, packageId);
  const path = `/v1/packages/${packageId}/downloads${query}`;
  return (await t.call<{ records: Download[]; by_link?: object[] }>('GET', path, { headers })).body;
};
const downloadsOf = async (packageId: string, query = '') => (await pageOf(packageId, query)).records;

describe('what was downloaded', () => {
  it('is told of each file once, of choices and of everything, and of many as many', async () => {
    const many = Object.fromEntries(Array.from({ length: 24 }, (_, n) => [`day ${n % 2}/${String(n).padStart(2, '0')}.mov`, 'a']));
    const linked = await linkedPackage(t, many);
    const id = linked.sender.package.id;
    const { link, files } = linked;
    const base = `/v1/packages/${id}`;
    const ids = [...files.values()].filter(({ kind }) => kind === 'file').map((file) => file.id);
    const zip = [...files.values()].find(({ kind }) => kind === 'zip_mac')!;
    const visitor = async () => ({ 'x-package-token': (await openLink(t, link)).body.package_token });
    const latest = async () => (await downloadsOf(id))[0]?.what;
    const ask = async (headers: Record<string, string>, ...wanted: string[]) => {
      for (const one of wanted) expect((await t.call('GET', `${base}/files/${one}/download`, { headers })).status).toBe(200);
    };
    const some = await visitor();
    await ask(some, ids[1]!, ids[1]!, ids[0]!);
    expect(await latest()).toEqual({ whole: false, files: 2, more: false, names: ['day 0/02.mov', 'day 0/00.mov'] });
    // What another process has recorded meanwhile stays.
    t.service.services.caches.recordedDownloads.delete((await downloadsOf(id))[0]!.id);
    await ask(some, ids[2]!, ids[0]!);
    expect(await latest()).toMatchObject({ files: 3, names: ['day 0/02.mov', 'day 0/00.mov', 'day 0/04.mov'] });
    await ask(some, zip.id);
    expect(await latest()).toMatchObject({ whole: true, files: 3, more: false });

    const chosen = await visitor();
    const ranges = [{ first: 11, last: 12 }];
    expect((await t.call('POST', `${base}/zips`, { headers: chosen, body: { kind: 'zip_mac', ranges } })).status).toBe(200);
    expect(await latest()).toEqual({ whole: false, files: 2, more: false, names: ['day 0/22.mov', 'day 1/01.mov'] });

    const all = await visitor();
    await t.call('POST', `${base}/files/batch/download`, { headers: all, body: { file_ids: ids } });
    expect(await latest()).toMatchObject({ whole: false, files: 20, more: true });
    await ask(all, ids[23]!);
    expect(await latest()).toMatchObject({ files: 20, more: true });
  });
});

describe('who downloaded', () => {
  it('is known of each opened link once, the latest first, and page by page', async () => {
    const linked = await linkedPackage(t, { 'a.mov': 'a', 'b.mov': 'b' }, { link: { email: 'post@example.com' } });
    const id = linked.sender.package.id;
    expect(await downloadsOf(id)).toEqual([]);
    for (const [agent, how] of [
      ['first/1', 'one'],
      ['second/1', 'batch'],
      ['third/1', 'one'],
    ] as const)
      await download(linked, agent, how);
    const all = await downloadsOf(id);
    expect(all.map(({ user_agent }) => user_agent)).toEqual(['third/1', 'second/1', 'first/1']);
    expect(all[0]).toMatchObject({ link_id: linked.link.id, email: 'post@example.com', address: '127.0.0.1' });
    const {
      records: [newest],
      by_link,
    } = await pageOf(id, '?limit=1');
    expect(by_link).toEqual([{ link_id: linked.link.id, downloads: 3 }]);
    expect(await pageOf(id, `?before=${newest!.id}`)).not.toHaveProperty('by_link');
    expect((await downloadsOf(id, `?before=${newest!.id}`)).map((one) => one.id)).toEqual(all.slice(1).map((one) => one.id));
  });

  it('is one download of a token, whatever it fetches', async () => {
    const linked = await linkedPackage(t, { 'a.mov': 'a', 'b.mov': 'b' });
    const opened = await openLink(t, linked.link);
    const headers = { 'x-package-token': opened.body.package_token };
    for (const file of linked.files.values())
      await t.call('GET', `/v1/packages/${linked.sender.package.id}/files/${file.id}/download`, { headers });
    expect(await downloadsOf(linked.sender.package.id)).toHaveLength(1);
  });
});

describe('mailing a link again', () => {
  const mail = async (packageId: string, linkId: string) =>
    await t.call('POST', `/v1/packages/${packageId}/links/${linkId}/mail`, { headers: await managing(t, packageId) });

  it('is another message, once a minute', async () => {
    const { sender, link } = await linkedPackage(t, { 'a.mov': 'a' }, { link: { email: 'again@example.com' } });
    const { db } = t.service.services;
    const messages = () => db.selectFrom('messages').select(['id', 'state']).where('link_id', '=', link.id).execute();
    expect((await mail(sender.package.id, link.id)).status).toBe(202);
    await eventually('the mail', async () => (await messages())[0]?.state === 'sent');
    const [first] = await messages();
    expect((await mail(sender.package.id, link.id)).status).toBe(429);
    await db
      .updateTable('messages')
      .set({ created_at: fromNow(-2 * 60_000) })
      .where('id', '=', first!.id)
      .execute();
    expect((await mail(sender.package.id, link.id)).status).toBe(202);
    await eventually('another mail', async () => (await messages())[0]?.state === 'sent');
    expect((await messages()).map(({ id }) => id)).not.toContain(first!.id);
  });

  it('needs somebody to mail it to, and a link that stands', async () => {
    const { sender, link } = await linkedPackage(t, { 'a.mov': 'a' });
    expect((await mail(sender.package.id, link.id)).status).toBe(409);
    const ended = await linkedPackage(t, { 'a.mov': 'a' }, { link: { email: 'ended@example.com' } });
    const id = ended.sender.package.id;
    await t.call('DELETE', `/v1/packages/${id}/links/${ended.link.id}`, { headers: await managing(t, id) });
    expect((await mail(id, ended.link.id)).status).toBe(410);
    expect((await mail(id, link.id)).status).toBe(404);
  });
});

describe('what goes on in a Team', () => {
  const overview = async (teamId: string, token: string, query = '') =>
    await t.call<TeamOverview>('GET', `/v1/teams/${teamId}/overview${query}`, { headers: { 'x-user-token': token } });

  it('counts the days of a time zone, what expires soon, and what the caller sees of it', async () => {
    const team = await addTeam(t, 'Northlight');
    const [owner, member] = [await addUser(t, 'owner', team), await addUser(t, 'member', team)];
    const of = { team_id: team, size: 1_000, usage_total_bytes: 1_000, created_by: owner.userId };
    const soon = await putPackage(t, { ...of, name: 'Ends', finalized_at: fromNow(-hour), expiry: fromNow(2 * 24 * hour) });
    await putPackage(t, { ...of, finalized_at: fromNow(0), expiry: fromNow(30 * 24 * hour), created_by: member.userId });
    await putPackage(t, { ...of, finalized_at: fromNow(0), through_portal: true });
    await putPackage(t, { ...of, finalized_at: fromNow(-20 * 24 * hour), state: 'expired', usage_total_bytes: 0 });
    const { status, body } = await overview(team, owner.token, '?time_zone=Pacific/Auckland');
    expect(status).toBe(200);
    expect(body.days).toHaveLength(7);
    const days = Array.from({ length: 7 }, (_, back) =>
      new Intl.DateTimeFormat('en-CA', { timeZone: 'Pacific/Auckland' }).format(fromNow((back - 6) * 24 * hour)),
    );
    expect(body.days.map(({ day }) => day)).toEqual(days);
    const sum = (way: 'sent' | 'received') => body.days.reduce((all, one) => all + one[way].packages, 0);
    expect([sum('sent'), sum('received')]).toEqual([2, 1]);
    expect(body.days.at(-1)!.received).toEqual({ packages: 1, bytes: 1_000 });
    expect(body.storage).toEqual({ packages: 3, bytes: 3_000 });
    expect(body.expiring).toMatchObject({ total: 1, records: [{ id: soon, name: 'Ends', size: 1_000 }] });
    expect([body.transfers, body.downloads]).toEqual([[], []]);
    // Members see what is theirs, and what came in for the whole Team.
    expect((await overview(team, member.token)).body.storage.packages).toBe(2);
    expect((await overview(team, t.userToken)).status).toBe(404);
    expect((await overview(team, owner.token, '?time_zone=Mars/Base')).status).toBe(400);
  });

  it('names the latest downloads', async () => {
    const linked = await linkedPackage(t, { 'a.mov': 'a' }, { package: { name: 'Dailies, day 3' }, link: { email: 'last@example.com' } });
    await download(linked, 'curl/8', 'one');
    const { body } = await overview(t.teamId, t.userToken);
    expect(body.downloads[0]).toMatchObject({
      package_name: 'Dailies, day 3',
      email: 'last@example.com',
      package_id: linked.sender.package.id,
    });
    const stranger = await addUser(t, 'member');
    expect((await overview(t.teamId, stranger.token)).body.downloads).toEqual([]);
  });
});

it('lists of packages are filtered by where they come from, and by size', async () => {
  const team = await addTeam(t, 'Sizes');
  const owner = await addUser(t, 'owner', team);
  const of = { team_id: team, created_by: owner.userId };
  const small = await putPackage(t, { ...of, size: 10 });
  const large = await putPackage(t, { ...of, size: 1_000, through_portal: true });
  const list = async (query: string) =>
    (
      await t.call<{ records: Package[] }>('GET', `/v1.1/teams/${team}/packages?${query}`, { headers: { 'x-user-token': owner.token } })
    ).body.records.map(({ id }) => id);
  expect(await list('received=true')).toEqual([large]);
  expect(await list('received=false')).toEqual([small]);
  expect(await list('size_min=11')).toEqual([large]);
  expect(await list('size_max=10')).toEqual([small]);
  expect(await list(`portals=${small}`)).toEqual([]);
});
