import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Package } from '#protocol/hosted/packages.ts';
import { type HostedRouteName, hostedRoutes } from '#protocol/hosted/routes.ts';
import type { Route } from '#protocol/route.ts';
import { newId } from '#service/ids.ts';
import { formatNext } from '#service/keyset.ts';
import { putPackage } from '#test/support/service/packages.ts';
import { putLink } from '../permissions/package-asks.ts';
import { makeWorld, type World } from '../permissions/world.ts';
import { everything } from './database-digests.ts';
import { subjectOf } from './subject.ts';

/**
 * Every parameter of a query that names something by its id, or goes on from something: with what is another Team's the answer is
 * that of an id of nothing. Ids in bodies are in foreign-ids.test.ts, those in paths in test/contract/permissions.
 */

/** What the other Team has of each kind. */
interface Foreign {
  readonly person: string;
  readonly tag: string;
  readonly space: string;
  readonly portal: string;
  readonly package: string;
  readonly download: string;
}

let world: World;
let foreign: Foreign;
beforeAll(async () => {
  world = await makeWorld();
  const { at, away } = world;
  const make = async (path: string, body: object) =>
    (await world.make<{ id: string }>(away, 'POST', `/v1/teams/${away.id}/${path}`, body)).id;
  const [tag, space, portal] = [
    await make('tags', { name: 'Away' }),
    await make('spaces', { name: 'Away', member_ids: [away.owner.memberId] }),
    await make('portals', { name: 'Away', subdomain: 'away-queries', active: true }),
  ];
  const id = await putPackage(at, { team_id: away.id, created_by: away.owner.userId, tag_id: tag, teamspace_id: space, portal_id: portal });
  const { db, now } = at.service.services;
  const link = await putLink({ world, made: { id } as Package });
  const download = newId();
  await db
    .insertInto('downloads')
    .values({
      token_id: download,
      link_id: link,
      package_id: id,
      team_id: away.id,
      user_agent: '',
      address: '',
      started_at: now(),
    } as never)
    .execute();
  foreign = { person: away.owner.userId, tag, space, portal, package: id, download };
});
afterAll(() => world?.close());

/** As it stands in the query: an id alone, or a place in a list that goes on from one. */
type Shape = (id: string) => string;
const alone: Shape = (id) => id;
const tomorrow = Date.now() + 86_400_000;
const inTime: Shape = (id) => `${tomorrow}.${id}`;
const inOrder =
  (...before: readonly string[]): Shape =>
  (id) =>
    formatNext([...before, id]);

type Case = readonly [name: HostedRouteName, parameter: string, kind: keyof Foreign, shape?: Shape];
const cases: readonly Case[] = [
  ['currentUser', 'watch', 'person'],
  ...(['listAuditLog', 'exportAuditLogJson', 'exportAuditLogCsv'] as const).flatMap((name): Case[] => [
    [name, 'actor_id', 'person'],
    [name, 'target_id', 'tag'],
  ]),
  ['listAuditLog', 'cursor', 'package', inTime],
  ['findMembers', 'space_id', 'space'],
  ['findMembers', 'after', 'person', inOrder('')],
  ['listTeamPackages', 'tags', 'tag'],
  ['listTeamPackages', 'teamspaces', 'space'],
  ['listTeamPackages', 'portals', 'portal'],
  ['listPortals', 'tags', 'tag'],
  ['listPortals', 'teamspaces', 'space'],
  ['listPortals', 'after', 'portal', inOrder('name', '')],
  ['listPortalPackages', 'tags', 'tag'],
  ['listTeamspaces', 'after', 'space', inOrder('name', '')],
  ['listTeamspacePackages', 'tags', 'tag'],
  ['deleteTeamspace', 'move_to', 'space'],
  ['listFormAnswers', 'after', 'package', inOrder(String(tomorrow))],
  ['listDownloads', 'before', 'download'],
];

/** Not of a Team, or not an id. */
const elsewhere: ReadonlySet<string> = new Set([
  // The storage's own: test/integration/service/files.test.ts.
  'listUploadedChunks upload_id',
  // The provider's folders.
  ...['listConnectionFiles prev_key', 'listConnectionFiles within'],
  // Moments, and the place in what a process tells.
  ...['waitForPackages after', 'streamTeamEvents since'],
  // Operators see all.
  ...[
    'listOperatorLog cursor',
    'listOperatedTeams cursor',
    'listFailedJobs cursor',
    'listIntegrityFindings cursor',
    'listFailedMails cursor',
  ],
]);

const named = /(^|_)ids?$|^(tags|teamspaces|portals|watch|since|after|before|cursor|within|move_to|prev_key)$/;

it('every parameter that refers to something is covered', () => {
  const all = (Object.entries(hostedRoutes) as [HostedRouteName, Route][]).flatMap(([name, { query }]) =>
    Object.keys(query?.properties ?? {})
      .filter((parameter) => named.test(parameter))
      .map((parameter) => `${name} ${parameter}`),
  );
  const tried = cases.map(([name, parameter]) => `${name} ${parameter}`);
  expect(all.filter((one) => !elsewhere.has(one)).toSorted()).toEqual(tried.toSorted());
});

const asked = cases.map(([name, parameter, kind, shape = alone]) => ({ name, parameter, kind, shape }));

describe.each(asked)('$name by $parameter', ({ name, parameter, kind, shape }) => {
  it('tells and changes nothing of another Team', async () => {
    const subject = await subjectOf(world, name, hostedRoutes[name]);
    // What is asked for is in the audit log too, by its moment: the same before and after.
    const before = await everything(world);
    const answers: unknown[] = [];
    for (const id of [foreign[kind], newId()]) {
      const query = new URLSearchParams({ [parameter]: shape(id), ...(parameter === 'after' && { sort: 'name' }) });
      const { status, body } = await world.at.call(hostedRoutes[name].method, `${subject.path}?${query}`, { headers: subject.headers });
      // A place that is not one of ours would be refused before anything is looked up.
      if (shape !== alone) expect(status).toBe(200);
      const text = JSON.stringify(body);
      for (const other of [...Object.values(foreign), world.away.id]) expect(text).not.toContain(other);
      answers.push([status, body]);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(await everything(world)).toEqual(before);
  });
});
