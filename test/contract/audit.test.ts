import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostedRouteName, hostedRoutes } from '#protocol/hosted/routes.ts';
import type { Route } from '#protocol/route.ts';
import { audits } from '#service/audit/audits.ts';
import { subjectOf } from './bad-input/subject.ts';
import { makeWorld, type World } from './permissions/world.ts';

/** Every call that belongs into the audit log leaves an entry there, and no other does (service/audit/audits.ts). */

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world?.close());

const entries = async (): Promise<number> => {
  const { db } = world.at.service.services;
  const { rows } = await sql<{ count: number }>`select count(*) from audit_entries where team_id = ${world.home.id}`.execute(db);
  return rows[0]!.count;
};

async function added(name: HostedRouteName): Promise<number> {
  const route: Route = hostedRoutes[name];
  const { headers, path, query, body } = await subjectOf(world, name, route);
  const before = await entries();
  const { status } = await world.at.call(route.method, query === undefined ? path : `${path}?${query}`, { headers, body });
  expect(status).toBeLessThan(300);
  const after = await entries();
  await world.restore(world.home, world.home.people.owner);
  return after - before;
}

const named = Object.entries(audits) as [HostedRouteName, (typeof audits)[keyof typeof audits]][];
/** They need a gateway, storage or a transfer under way, or, to end other sessions, others (test/integration/service/audit-log.test.ts). */
const notAsked: ReadonlySet<string> = new Set([
  ...['pollStorageGateway', 'answerGatewayTask', 'reportTransfer', 'retryTransfer', 'cancelTransfer'],
  'browseStorage',
  'endOtherSessions',
  // The Team would stay suspended for the others: test/integration/service/operator-work.test.ts.
  ...['suspendTeam', 'reactivateTeam', 'setTeamQuotas'],
]);

describe('calls in the audit log', () => {
  it.each(named.filter(([name, audit]) => audit !== 'none' && !notAsked.has(name)))('%s leaves an entry', async (name) => {
    // Who joins also signs in.
    expect(await added(name)).toBeGreaterThanOrEqual(1);
  });

  it.each(named.filter(([name, audit]) => audit === 'none' && !notAsked.has(name)))('%s leaves none', async (name) => {
    expect(await added(name)).toBe(0);
  });
});
