import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { credentialSpecs } from '#protocol/credentials.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { type HostedRouteName, hostedRoutes } from '#protocol/hosted/routes.ts';
import { creates } from '#protocol/openapi.ts';
import type { Role } from '#protocol/roles.ts';
import type { Route } from '#protocol/route.ts';
import { newId } from '#service/ids.ts';
import { newPortal } from '#test/support/service/portals.ts';
import type { TestAnswer } from '#test/support/service/start-service.ts';
import type { Ask } from './permissions/ask.ts';
import { type PackageScene, packageAsks } from './permissions/package-asks.ts';
import { readTables } from './permissions/table.ts';
import { teamAsks } from './permissions/team-asks.ts';
import { makeWorld, type Person, type World } from './permissions/world.ts';

/**
 * An answer kept under an Idempotency-Key, asked for again: only by the same caller, and only while they may still ask.
 * Every endpoint that creates is tried, from the route table.
 */

type Headers = Readonly<Record<string, string>>;

const creating = (Object.entries(hostedRoutes) as [HostedRouteName, Route][]).filter(([, route]) => creates(route));
const byTeam = creating.filter(([name]) => name in teamAsks);
const byPackage = creating.filter(([name]) => name in packageAsks);
const table = readTables().get('Users and API keys')!;

let world: World;
beforeAll(async () => {
  world = await makeWorld({ trustProxy: '127.0.0.1' });
});
afterAll(() => world?.close());

function send<T>(route: Route, headers: Headers, { params = {}, query, body }: Ask): Promise<TestAnswer<T>> {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ({ team_id: world.home.id, ...params })[name] ?? `no ${name}`);
  return world.at.call<T>(route.method, query === undefined ? path : `${path}?${query}`, { headers, body });
}

it('covers every endpoint that creates', () => {
  const covered = new Set([...byTeam, ...byPackage].map(([name]) => name));
  expect(creating.map(([name]) => name).filter((name) => !covered.has(name))).toEqual(['createPortalPackage']);
});

async function setRole({ memberId, userId }: Person, role: Role | null): Promise<void> {
  const { db, credentials } = world.at.service.services;
  if (role === null) await db.deleteFrom('memberships').where('id', '=', memberId).execute();
  else await db.updateTable('memberships').set({ role }).where('id', '=', memberId).execute();
  credentials.invalidateUser(userId);
}

/** What may become of a caller after the first answer. */
const changes = {
  demoted: { happens: (caller: Person) => setRole(caller, 'guest'), user: 'guest', api_key: 'guest' },
  removed: { happens: (caller: Person) => setRole(caller, null), user: '404', api_key: '401' },
  suspended: { happens: () => world.setState(world.home, 'inactive'), user: '402', api_key: '402' },
} as const;

describe.each(byTeam)('%s', (name, route) => {
  const kinds = (['user', 'api_key'] as const).filter((kind) => route.credentials.includes(kind));

  it.each(kinds)('replays an answer to a caller with a credential of the kind %s only while they may still make the call', async (kind) => {
    const { admin, owner } = world.home.people;
    const caller = table.get(name)!['admin']!.startsWith('20') ? admin : owner;
    const ask = await teamAsks[name]!({ world, team: world.home, caller, own: true });
    const headers = {
      [credentialSpecs[kind].header]: kind === 'user' ? caller.token : caller.key,
      'idempotency-key': `walk ${kind}`,
    };
    const first = await send(route, headers, ask);
    expect(first.status).toBe(201);
    expect((await send(route, headers, ask)).body).toEqual(first.body);
    for (const [what, change] of Object.entries(changes)) {
      await change.happens(caller);
      const { status } = await send(route, headers, ask);
      await world.setState(world.home, 'active');
      await world.restore(world.home, caller);
      const due = change[kind] === 'guest' ? table.get(name)!['guest']!.split(' / ')[0] : change[kind];
      expect(`${what}: ${status}`).toBe(`${what}: ${due}`);
    }
    expect((await send(route, headers, ask)).body).toEqual(first.body);
  });
});

describe.each(byPackage)('%s', (name, route) => {
  const newScene = async (maker: Person): Promise<PackageScene> => {
    const { status, body } = await world.at.call<Package>('POST', `/v1/teams/${world.home.id}/packages`, {
      headers: { 'x-user-token': maker.token },
      body: { name: 'P', description: '', recipients: [] },
    });
    if (status !== 201) throw new Error(`no package: ${status}`);
    return { world, team: world.home, made: body };
  };

  it('replays an answer to a package token only while its creator may still make the call', async () => {
    const caller = world.home.people.member;
    const scene = await newScene(caller);
    const asked = await packageAsks[name]!(scene);
    const ask = { ...asked, params: { package_id: scene.made.id, ...asked.params } };
    const headers = { 'x-package-token': scene.made.access_token, 'idempotency-key': 'walk' };
    const first = await send(route, headers, ask);
    expect(first.status).toBe(201);
    expect((await send(route, headers, ask)).body).toEqual(first.body);
    for (const [what, due] of [
      ['demoted', 403],
      ['removed', 403],
      ['suspended', 402],
    ] as const) {
      await changes[what].happens(caller);
      const { status } = await send(route, headers, ask);
      await world.setState(world.home, 'active');
      await world.restore(world.home, caller);
      expect(`${what}: ${status}`).toBe(`${what}: ${due}`);
    }
  });
});

describe('tokens of one package', () => {
  it('have replays of their own, for each variant and owner', async () => {
    const { owner, people } = world.home;
    const made = await world.make<Package>(world.home, 'POST', `/v1/teams/${world.home.id}/packages`, {
      name: 'P',
      description: '',
      recipients: [],
    });
    const claims = { packageId: made.id } as const;
    const tokens = [
      await world.sign({ ...claims, variant: 'write' }),
      await world.sign({ ...claims, variant: 'manage', userId: owner.userId }),
      await world.sign({ ...claims, variant: 'manage', userId: people.admin.userId }),
    ];
    const ids = new Set<string>();
    for (const token of tokens) {
      const { body } = await send<{ file: File }>(
        hostedRoutes.createFile,
        { 'x-package-token': token, 'idempotency-key': 'same' },
        {
          params: { package_id: made.id },
          body: { kind: 'file', name: 'a.mov', path: '', size: 5, last_modified: '2026-11-20T18:04:11.000Z' },
        },
      );
      ids.add(body.file.id);
    }
    expect(ids.size).toBe(tokens.length);
  });
});

describe('senders through a Portal', () => {
  const accessCode = 'open sesame';
  const secret = 'a secret of 16 or more';
  const body = { name: 'P', description: '', sender: 's@example.com' };
  let portalId: string;
  let coded: string;
  beforeEach(async () => {
    portalId = (await newPortal(world.at)).id;
    coded = (await newPortal(world.at, { has_access_code: true, access_code: accessCode })).id;
  });

  const ask = (portal: string, headers: Headers) =>
    send<Package>(hostedRoutes.createPortalPackage, { 'idempotency-key': 'same', ...headers }, { params: { portal_id: portal }, body });
  const from = (address: string): Headers => ({ 'x-forwarded-for': address });

  it('a wrong or missing access code gets no replay', async () => {
    const first = await ask(coded, { 'x-access-code': encodeURIComponent(accessCode) });
    expect(first.status).toBe(201);
    expect((await ask(coded, { 'x-access-code': 'wrong' })).status).toBe(401);
    expect((await ask(coded, {})).status).toBe(401);
    expect((await ask(coded, { 'x-access-code': encodeURIComponent(accessCode) })).body).toEqual(first.body);
  });

  it('nor does a code that was changed', async () => {
    const shown = { 'x-access-code': encodeURIComponent(accessCode) };
    expect((await ask(coded, shown)).status).toBe(201);
    const { services } = world.at.service;
    await services.db.updateTable('portals').set({ access_code: 'another' }).where('id', '=', coded).execute();
    expect((await ask(coded, shown)).status).toBe(401);
  });

  it('a sender at another address creates a package of its own, one at the same address gets the first again', async () => {
    const first = await ask(portalId, from('192.0.2.1'));
    const other = await ask(portalId, from('192.0.2.2'));
    expect([first.status, other.status]).toEqual([201, 201]);
    expect(other.body.id).not.toBe(first.body.id);
    expect((await ask(portalId, from('192.0.2.1'))).body).toEqual(first.body);
  });

  it('with a secret of its own a sender gets the first answer at another address, and nobody else does at the same one', async () => {
    const first = await ask(portalId, { ...from('192.0.2.3'), 'x-sender-secret': secret });
    expect((await ask(portalId, { ...from('192.0.2.4'), 'x-sender-secret': secret })).body).toEqual(first.body);
    const others: Headers[] = [{}, { 'x-sender-secret': `${secret}!` }];
    for (const other of others) {
      const made = await ask(portalId, { ...from('192.0.2.3'), ...other });
      expect(made.status).toBe(201);
      expect(made.body.id).not.toBe(first.body.id);
    }
  });

  it('a secret that can be guessed is refused', async () => {
    const refused = await ask(portalId, { 'x-sender-secret': 'short' });
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('X-Sender-Secret') } });
  });

  it('access code, secret and token are not readable in the database', async () => {
    const shown = { 'x-access-code': encodeURIComponent(accessCode), 'x-sender-secret': `${secret} ${newId()}` };
    const first = await ask(coded, shown);
    const rows = await world.at.service.services.db.selectFrom('idempotency_answers').selectAll().execute();
    const text = rows.map(({ scope, answer }) => `${scope} ${answer?.toString('latin1')}`).join('\n');
    for (const hidden of [accessCode, shown['x-sender-secret'], first.body.access_token]) expect(text).not.toContain(hidden);
  });
});
