import { appendFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { type Dispatcher, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { credentialSpecs } from '#protocol/credentials.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { type HostedRouteName, hostedRoutes } from '#protocol/hosted/routes.ts';
import { type Role, roles } from '#protocol/roles.ts';
import type { CredentialKind, Route } from '#protocol/route.ts';
import { newId } from '#service/ids.ts';
import { startProgramSession } from '#service/sessions/sessions.ts';
import { linesWithSecrets, recordSecrets } from '#test/support/service/log-secrets.ts';
import { type TempFolder, tempFolder } from '#test/support/system/temp-folder.ts';
import type { Ask } from './ask.ts';
import { gatewayAsks } from './gateway-asks.ts';
import { isOperators, operatorAsks } from './operator-asks.ts';
import { type PackageScene, packageAsks, putLink } from './package-asks.ts';
import { accessCode, publicAsks } from './public-asks.ts';
import { readTables } from './table.ts';
import { owned, takesFromPeople, teamAsks } from './team-asks.ts';
import { transferAsks } from './transfer-asks.ts';
import { makeWorld, type Person, type Team, type World } from './world.ts';

/**
 * Every endpoint × credential × role × own or foreign Team, against permissions.md. Kinds of credentials that an
 * endpoint does not take at all are tried in test/contract/credentials.test.ts.
 */

type Headers = Readonly<Record<string, string>>;

const tables = readTables();
const table = (heading: string) => {
  const found = tables.get(heading);
  if (!found) throw new Error(`permissions.md has no table under ${heading}`);
  return found;
};
const byTeam = table('Users and API keys');
const byPackage = table('Package tokens');
const byTransfer = table('Transfer tokens');
const byAnyone = table('Without an account');
const byGateway = table('Storage gateways');
const byOperator = table('Operators');

const routes: Readonly<Record<string, Route>> = hostedRoutes;
const takes = <K extends CredentialKind>(route: Route, kinds: readonly K[]): K[] =>
  kinds.filter((kind) => route.credentials.includes(kind));
const teamKinds = ['user', 'api_key'] as const;
const packageKinds = ['package:write', 'package:read', 'package:manage'] as const;

const gatewayKinds = ['gateway', 'transfer:report'] as const;

/** The endpoints that take one of the kinds. */
const taking = (kinds: readonly CredentialKind[]): [HostedRouteName, Route][] =>
  (Object.entries(routes) as [HostedRouteName, Route][]).filter(([, route]) => takes(route, kinds).length > 0);

/** Those of Teams and people, and those of operators. */
const ofTeams = taking(teamKinds).filter(([name]) => !isOperators(name));
const ofOperators = taking(teamKinds).filter(([name]) => isOperators(name));

describe('permissions.md', () => {
  it('has a line for each endpoint, in each table that it belongs to, and no others', () => {
    const names = (kinds: readonly CredentialKind[]) =>
      taking(kinds)
        .map(([name]) => name)
        .toSorted();
    expect([...byTeam.keys(), ...byOperator.keys()].toSorted()).toEqual(names(teamKinds));
    expect([...byOperator.keys()].toSorted()).toEqual(ofOperators.map(([name]) => name).toSorted());
    expect([...byPackage.keys()].toSorted()).toEqual(names(packageKinds));
    expect([...byTransfer.keys()].toSorted()).toEqual(names(['transfer']));
    expect([...byAnyone.keys()].toSorted()).toEqual(names(['none', 'access_code', 'link']));
    expect([...byGateway.keys()].toSorted()).toEqual(names(gatewayKinds));
  });

  it('leaves out no endpoint', () => {
    const all = new Set([
      ...byTeam.keys(),
      ...byOperator.keys(),
      ...byPackage.keys(),
      ...byTransfer.keys(),
      ...byAnyone.keys(),
      ...byGateway.keys(),
    ]);
    expect([...all].toSorted()).toEqual(Object.keys(routes).toSorted());
  });
});

let world: World;
let folder: TempFolder;
const log = (): string => join(folder.path, 'log');
const shown = recordSecrets();
beforeAll(async () => {
  folder = await tempFolder();
  world = await makeWorld({ logLevel: 'debug', logFile: log() });
});
afterAll(async () => {
  shown.stop();
  await world?.close();
  await folder?.remove();
});

/** Asks, and gives the status alone: some answers are streams without end. */
async function statusOf(route: Route, team: Team, headers: Headers, { params = {}, query, body, headers: further }: Ask): Promise<number> {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ({ team_id: team.id, ...params })[name] ?? `no ${name}`);
  const {
    statusCode,
    headers: answered,
    body: answer,
  } = await request(`${world.at.url}${path}${query === undefined ? '' : `?${query}`}`, {
    method: route.method as Dispatcher.HttpMethod,
    headers: { ...further, ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (answered['content-type'] === 'application/json') await answer.text();
  else answer.on('error', () => undefined).destroy();
  return statusCode;
}

/** One number where all are the same, else all of them. */
const joined = (statuses: readonly number[], between: string) =>
  new Set(statuses).size === 1 ? String(statuses[0]) : statuses.join(between);

describe.each(ofTeams)('%s', (name, route) => {
  const kinds = takes(route, teamKinds);

  async function by(team: Team, caller: Person, made: Team, own: boolean): Promise<string> {
    const statuses: number[] = [];
    for (const kind of kinds) {
      const ask = await teamAsks[name]!({ world, team: made, caller, own });
      const shown = kind === 'user' ? caller.token : caller.key;
      statuses.push(await statusOf(route, made, { [credentialSpecs[kind].header]: shown }, ask));
      if (takesFromPeople.has(name)) {
        await world.restore(team, caller);
        await world.restore(made, made.owner);
      }
    }
    return joined(statuses, ' + ');
  }

  it('answers each role, in its own Team and in others, as permissions.md says', async () => {
    const role = async (one: Role) => {
      const caller = world.home.people[one];
      if (!owned.has(name)) return await by(world.home, caller, world.home, false);
      const [own, others] = [await by(world.home, caller, world.home, true), await by(world.home, caller, world.home, false)];
      return own === others ? own : `${own} / ${others}`;
    };
    const row: Record<string, string> = {};
    for (const one of roles) row[one.replace('_', ' ')] = await role(one);
    row['other Team'] = await by(world.away, world.away.people.owner, world.home, false);
    row['inactive Team'] = await by(world.idle, world.idle.people.owner, world.idle, true);
    expect(row).toEqual(byTeam.get(name));
  });
});

describe.each(ofOperators)('%s', (name, route) => {
  async function by(token: string, team = world.home): Promise<string> {
    const ask = await operatorAsks[name]!({ world, team, caller: team.owner, own: true });
    return String(await statusOf(route, team, { [credentialSpecs.user.header]: token }, ask));
  }

  it('answers operators alone, as permissions.md says', async () => {
    const { services } = world.at.service;
    const { userId, token } = world.operator;
    const statuses = await Promise.all([...roles.map((one) => by(world.home.people[one].token)), by(world.idle.owner.token)]);
    const source = { userAgent: 'test', address: '127.0.0.1' };
    const start = { userId, version: 1, source, byPasswordAlone: false, ssoTeamId: world.home.id, at: services.now() };
    const { sessionId } = await startProgramSession(services.db, start);
    expect({
      'any role in a Team': [...new Set(statuses)].join(' / '),
      'operator by a company': await by(await services.tokens.sign('user', { userId, version: 1, sessionId })),
      operator: await by(token),
      'about an inactive Team': await by(token, world.idle),
    }).toEqual(byOperator.get(name));
  });
});

describe.each(taking(packageKinds))('%s', (name, route) => {
  const make = (team: Team): Promise<Package> =>
    world.make<Package>(team, 'POST', `/v1/teams/${team.id}/packages`, { name: 'P', description: '', recipients: [] });
  const tokens: Readonly<Record<string, (scene: PackageScene) => Promise<string>>> = {
    write: ({ world, made }) => world.sign({ packageId: made.id, variant: 'write' }),
    link: async ({ world, made }) => world.sign({ packageId: made.id, variant: 'read', linkId: await putLink({ world, made }) }),
    guest: ({ world, team, made }) => world.sign({ packageId: made.id, variant: 'read', userId: team.people.guest.userId }),
    manage: ({ made }) => Promise.resolve(made.access_token),
    'another member': ({ world, team, made }) => world.sign({ packageId: made.id, variant: 'manage', userId: team.people.member.userId }),
    'who has left': ({ world, made }) => world.sign({ packageId: made.id, variant: 'manage', userId: world.away.owner.userId }),
  };

  async function by(team: Team, token: (scene: PackageScene) => Promise<string>): Promise<string> {
    const scene = { world, team, made: await make(team) };
    await seenByGuest(scene);
    const ask = await packageAsks[name]!(scene);
    const headers = { 'X-Package-Token': await token(scene) };
    return String(await statusOf(route, team, headers, { ...ask, params: { package_id: scene.made.id, ...ask.params } }));
  }

  it('answers each package token as permissions.md says', async () => {
    const row: Record<string, string> = {};
    for (const [column, token] of Object.entries(tokens)) row[column] = await by(world.home, token);
    const widest = route.credentials.includes('package:manage') ? 'manage' : 'link';
    row['another package'] = await by(world.home, async (scene) => tokens[widest]!({ ...scene, made: await make(world.home) }));
    for (const column of ['write', 'link', 'manage']) row[`${column}, inactive Team`] = await by(world.idle, tokens[column]!);
    expect(row).toEqual(byPackage.get(name));
  });

  /** The guest's token is of a package that they see: one of a Teamspace that they are in. */
  async function seenByGuest({ world, team, made }: PackageScene): Promise<void> {
    const { db } = world.at.service.services;
    const space = { id: newId(), team_id: team.id, name: 'Space', created_at: new Date(), updated_at: new Date() };
    await db.insertInto('teamspaces').values(space).execute();
    const inside = { id: newId(), teamspace_id: space.id, user_id: team.people.guest.userId, created_at: new Date() };
    await db.insertInto('teamspace_members').values(inside).execute();
    await db.updateTable('packages').set({ teamspace_id: space.id }).where('id', '=', made.id).execute();
  }
});

describe.each(taking(['transfer']))('%s', (name, route) => {
  async function by(team: Team, ofAnother = false): Promise<string> {
    const made = await world.make<Package>(team, 'POST', `/v1/teams/${team.id}/packages`, { name: 'P', description: '', recipients: [] });
    const ask = await transferAsks[name]!({ world, team, made });
    const transferId = ofAnother ? newId() : ask.params!['transfer_id']!;
    const token = await world.at.service.services.tokens.sign('transfer', { transferId, packageId: made.id });
    return String(await statusOf(route, team, { [credentialSpecs.transfer.header]: token }, ask));
  }

  it('answers each transfer token as permissions.md says', async () => {
    const row = { own: await by(world.home), 'another transfer': await by(world.home, true), 'inactive Team': await by(world.idle) };
    expect(row).toEqual(byTransfer.get(name));
  });
});

describe.each(taking(gatewayKinds))('%s', (name, route) => {
  it('answers each gateway and each task as permissions.md says', async () => {
    const asked = (team: Team) => gatewayAsks[name]!({ world, team });
    const [own, other, ended, idle] = [await asked(world.home), await asked(world.away), await asked(world.home), await asked(world.idle)];
    await ended.end();
    expect({
      own: String(await statusOf(route, world.home, own.headers, own)),
      "another's": String(await statusOf(route, world.home, own.headers, other)),
      ended: String(await statusOf(route, world.home, ended.headers, ended)),
      'inactive Team': String(await statusOf(route, world.idle, idle.headers, idle)),
    }).toEqual(byGateway.get(name));
  });
});

describe.each(taking(['none', 'access_code', 'link']))('%s', (name, route) => {
  async function by(team: Team, headers: Headers, change: (ask: Ask) => Ask = (ask) => ask): Promise<string> {
    const ask = change(await publicAsks[name]!({ world, team }));
    return String(await statusOf(route, team, headers, ask));
  }
  const code = (text: string): Headers => ({ [credentialSpecs.access_code.header]: encodeURIComponent(text) });
  const noSecret = ({ query: _, ...ask }: Ask): Ask => ask;

  it('answers people without an account as permissions.md says', async () => {
    const row: Record<string, string> = {};
    const takesCode = route.credentials.includes('access_code');
    const takesLink = route.credentials.includes('link');
    row['nothing shown'] = await by(world.home, {}, noSecret);
    row['right'] = takesCode ? await by(world.home, code(accessCode)) : takesLink ? await by(world.home, {}) : '-';
    row['wrong'] = takesCode
      ? await by(world.home, code('wrong'))
      : takesLink
        ? await by(world.home, {}, (ask) => ({ ...ask, query: 'secret=wrong' }))
        : '-';
    row['right, inactive Team'] = await by(world.idle, takesCode ? code(accessCode) : {});
    expect(row).toEqual(byAnyone.get(name));
  });
});

// The last one: it breaks the database.
it('none of all these secrets stands in the log, at its most talkative, where every call fails', async () => {
  const { people } = world.home;
  const calls: (() => Promise<number>)[] = [];
  for (const [name, route] of ofTeams) {
    for (const kind of takes(route, teamKinds)) {
      const ask = await teamAsks[name]!({ world, team: world.home, caller: people.owner, own: true });
      const header = { [credentialSpecs[kind].header]: kind === 'user' ? people.owner.token : people.owner.key };
      calls.push(() => statusOf(route, world.home, header, ask));
    }
  }
  for (const table of ['memberships', 'packages', 'portals', 'cloud_connections'])
    await sql`alter table ${sql.id(table)} rename to ${sql.id(`${table}_gone`)}`.execute(world.at.service.services.db);
  const statuses: number[] = [];
  for (const call of calls) statuses.push(await call());
  expect(statuses.filter((status) => status === 500).length).toBeGreaterThan(50);
  expect((await stat(log())).size).toBeGreaterThan(10_000);
  expect(shown.secrets.size).toBeGreaterThan(100);
  expect(await linesWithSecrets(log(), shown.secrets)).toEqual([]);
  // What the look would find.
  const [first] = shown.secrets;
  await appendFile(log(), `{"msg":"GET /x?token=${first}"}\n`);
  expect(await linesWithSecrets(log(), shown.secrets)).toHaveLength(1);
});
