import { afterAll, beforeAll, expect, it } from 'vitest';
import { listQuotas } from '#service/admin/quotas.ts';
import { createTeam } from '#service/admin/teams.ts';
import { noLimits } from '#service/quotas/limits.ts';
import { keepNewTeamQuotas } from '#service/quotas/new-teams.ts';
import { emptyTestDatabase, type TestPostgres } from '#test/support/service/postgres.ts';
import { newSender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

/** What Teams begin with (contract/quotas.md §1). */

let database: TestPostgres;
let t: TestService;
beforeAll(async () => {
  database = await emptyTestDatabase();
  t = await startTestService({ databaseUrl: database.url, newTeamQuotas: { storage: 1_000, traffic: 2_000 } });
});
afterAll(async () => {
  await t?.close();
  await database?.close();
});

const make = async (name: string) => {
  const { team } = await createTeam(
    t.service.services.db,
    { name, subdomain: undefined, owner: `${name}@example.com`, ownerName: undefined, password: undefined },
    new Date(),
  );
  return team.id;
};

const limitsByTeam = async () =>
  new Map((await Array.fromAsync(listQuotas(t.service.services.db, new Date()))).map(({ team, quotas }) => [team.id, quotas]));

it('holds the Team of the first start to them at once', async () => {
  expect((await limitsByTeam()).get(t.teamId)).toEqual({ storage: { limit: 1_000, used: 0 }, traffic: { limit: 2_000, used: 0 } });
  const sender = await newSender(t);
  expect((await sender.create({ name: 'a', size: 900 })).status).toBe(201);
  expect(await sender.create({ name: 'b', size: 101 })).toMatchObject({ status: 507, body: { code: 393_219 } });
});

it('gives new Teams the limits of the service, and leaves those that are there alone', async () => {
  const { db } = t.service.services;
  const limited = await make('limited');
  await keepNewTeamQuotas(db, { storage: null, traffic: 5 });
  const sending = await make('sending');
  await keepNewTeamQuotas(db, noLimits);
  const free = await make('free');
  const found = await limitsByTeam();
  expect(found.get(limited)).toEqual({ storage: { limit: 1_000, used: 0 }, traffic: { limit: 2_000, used: 0 } });
  expect(found.get(sending)).toEqual({ traffic: { limit: 5, used: 0 } });
  expect(found.get(t.teamId)).toMatchObject({ storage: { limit: 1_000 }, traffic: { limit: 2_000 } });
  expect(found.has(free)).toBe(false);
});
