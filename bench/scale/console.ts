import { loadavg } from 'node:os';
import { type Kysely, sql } from 'kysely';
import type { Browser } from 'playwright-core';
import type { Database } from '#service/database/schema/database.ts';
import { launchChromium, openPage } from '#test/support/browser/chromium.ts';
import { signIn, startConsole } from '#test/support/browser/console.ts';
import type { TestService } from '#test/support/service/start-service.ts';
import { seedPackages } from '../api/seed.ts';
import { row } from '../report/format.ts';
import { quantiles } from '../statistics.ts';

/**
 * `node bench/scale/console.ts [packages] [Portals]`: what a Team with a million packages waits for: the calls of the console's
 * views, and the views in Chromium. How long lists of packages themselves take, by every filter, is in `npm run bench -- --only api`.
 */

const [packages, portals] = [Number(process.argv[2] ?? 1_000_000), Number(process.argv[3] ?? 10_000)];
const rounds = 5;
const median = (times: readonly number[]): number => quantiles(times, [0.5])[0]!;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Beside the packages: people, Portals, answers to the form of one, downloads of the newest packages and a log, as years leave them. */
async function seedRest(db: Kysely<Database>, teamId: string, userId: string, portalId: string): Promise<void> {
  await db.connection().execute(async (one) => {
    // As seed.ts does: nothing to check, and a loaded machine may take minutes.
    await sql`set session_replication_role = replica`.execute(one);
    await sql`set statement_timeout = 0`.execute(one);
    await sql`
      with answered as (
        update packages set form_response_id = gen_random_uuid() where portal_id = ${portalId} returning form_response_id, created_at)
      insert into form_responses (id, portal_id, form_id, form, answers, created_at)
      select form_response_id, ${portalId}, null, '{"fields": []}', '{}', created_at from answered`.execute(one);
    await sql`reset all`.execute(one);
  });
  await sql`
    with made as (
      insert into users (id, email, name, password_hash, created_at, updated_at)
      select gen_random_uuid(), 'user' || n || '@example.com', 'Person ' || n, '', now(), now() from generate_series(1, 200) as n returning id)
    insert into memberships (id, team_id, user_id, role, created_at) select gen_random_uuid(), ${teamId}, id, 'member', now() from made`.execute(
    db,
  );
  await sql`
    insert into portals select (jsonb_populate_record(null::portals, to_jsonb(one) || jsonb_build_object(
      'id', gen_random_uuid(), 'name', 'Portal ' || n, 'subdomain', 'bench-' || n, 'created_at', now() - n * interval '1 hour'))).*
    from (select * from portals where team_id = ${teamId} limit 1) as one, generate_series(1, ${portals}::int) as n`.execute(db);
  await sql`
    with linked as (
      insert into links (id, package_id, email, secret, access_limit, created_at)
      select gen_random_uuid(), id, 'post@example.com', 'secret', 0, created_at from packages where team_id = ${teamId} order by created_at desc
      limit ${Math.min(200_000, packages)} returning id, package_id, created_at)
    insert into downloads (token_id, link_id, package_id, team_id, user_agent, address, started_at)
    select gen_random_uuid(), id, package_id, ${teamId}, 'longshore/0.1.0', '203.0.113.7', created_at from linked`.execute(db);
  await sql`
    insert into audit_entries (id, team_id, at, action, actor_kind, actor_id, actor_name, address, user_agent, target_kind, target_id,
      target_name, details)
    select gen_random_uuid(), ${teamId}, now() - make_interval(secs => n * 30), 'link.made', 'user', ${userId}, 'Ada', '203.0.113.7', '', 'link',
      'x' || n, 'post@example.com', '{}' from generate_series(1, ${Math.min(1_000_000, packages)}) as n`.execute(db);
  await sql`analyze`.execute(db);
}

type Calls = Readonly<Record<string, string>>;

function callsOf(teamId: string, portalId: string): Calls {
  const team = `/v1/teams/${teamId}`;
  const list = `/v1.1/teams/${teamId}/packages?limit=50&status=finalized`;
  const yearAgo = '2024-01-01';
  return {
    'Home: overview': `${team}/overview?time_zone=Europe/Berlin`,
    'Home: storage by day': `${team}/usage/storage?days=30`,
    'packages, page 1': list,
    'packages, page 10,000': `${list}&page=10000`,
    'packages, a part of the name that few have': `${list}&name=777)`,
    'usage of 30 days by member': `${team}/usage?by=member&from=2025-01-01&to=2025-01-30`,
    'usage of a year by member': `${team}/usage?by=member&from=${yearAgo}&to=2024-12-31`,
    'usage of a year by Teamspace': `${team}/usage?by=teamspace&from=${yearAgo}&to=2024-12-31`,
    'usage of a year by Portal': `${team}/usage?by=portal&from=${yearAgo}&to=2024-12-31`,
    'Portals, page 1': `/v1.1/teams/${teamId}/portals?limit=24`,
    'Portals, not counted': `/v1.1/teams/${teamId}/portals?limit=24&count_up_to=1`,
    'answers to a form, all counted': `/v1/portals/${portalId}/form/responses?limit=50`,
    'answers to a form, counted to 10,000': `/v1/portals/${portalId}/form/responses?limit=50&count_up_to=10000`,
    'answers to a form, not counted': `/v1/portals/${portalId}/form/responses?limit=50&count_up_to=1`,
    'Portals, the last page by its number': `/v1.1/teams/${teamId}/portals?limit=24&page=${Math.ceil(portals / 24)}`,
    'Portals by a part of the name': `/v1.1/teams/${teamId}/portals?limit=50&sort=name&name=${portals - 1}`,
    'audit log': `${team}/audit_log?limit=100`,
    'audit log, one kind': `${team}/audit_log?limit=100&action=link`,
  };
}

async function time(service: TestService, path: string): Promise<{ readonly took: number; readonly body: unknown }> {
  const from = performance.now();
  const { status, body } = await service.call('GET', path, { headers: { 'x-api-key': service.apiKey } });
  const took = performance.now() - from;
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  return { took, body };
}

async function measureCalls(service: TestService, portalId: string): Promise<void> {
  say(`${row(['call', 'first, ms', 'again, ms'])}\n${row(['---', '---:', '---:'])}`);
  for (const [name, path] of Object.entries(callsOf(service.teamId, portalId))) {
    const times = [];
    for (let round = 0; round <= rounds; round++) times.push((await time(service, path)).took);
    say(row([name, times[0]!.toFixed(0), median(times.slice(1)).toFixed(0)]));
  }
  // By keyset there is no way to a page but through those before it.
  const walked = [];
  for (let after = ''; ; ) {
    const { took, body } = await time(service, `/v1.1/teams/${service.teamId}/portals?limit=50${after && `&after=${after}`}`);
    walked.push(took);
    after = (body as { readonly next: string }).next;
    if (after === '') break;
  }
  say(
    row([
      `Portals by \`next\`, pages 2 to ${walked.length}`,
      walked[1]!.toFixed(0),
      `${median(walked).toFixed(0)}, the last ${walked.at(-1)!.toFixed(0)}`,
    ]),
  );
}

const views = {
  Home: ['', '.home-storage-days'],
  Packages: ['/packages', '.package-row'],
  'Packages, a part of the name': ['/packages?q=777)', '.package-row'],
  Portals: ['/portals', '.portal-cards li'],
  Members: ['/members', '.keyset-row'],
  Usage: ['/usage', 'tbody tr, .view-state'],
  'Audit log': ['/audit-log', '.audit-entry'],
} as const;

async function measureViews(browser: Browser, service: TestService): Promise<void> {
  say(`\n${row(['view in Chromium', 'from the address to its rows, ms'])}\n${row(['---', '---:'])}`);
  for (const [name, [place, ready]] of Object.entries(views)) {
    const times = [];
    for (let round = 0; round < 3; round++) {
      let from = 0;
      const { page, close } = await openPage(browser, `${service.url}/t/${service.teamId}${place}`, {}, async (page) => {
        await signIn(page, service, service.userId);
        from = performance.now();
      });
      await page.locator(ready).first().waitFor();
      times.push(performance.now() - from);
      await close();
    }
    say(row([name, median(times).toFixed(0)]));
  }
}

const service = await startConsole();
const browser = await launchChromium();
try {
  const { teamId, userId } = service;
  const { db } = service.service.services;
  const from = performance.now();
  const { portal } = await seedPackages(db, { teamId, userId, packages });
  await seedRest(db, teamId, userId, portal);
  say(
    `${packages} packages and ${portals} Portals were made in ${((performance.now() - from) / 1000).toFixed(0)} s; load ${loadavg()[0]!.toFixed(1)}.`,
  );
  await measureCalls(service, portal);
  await measureViews(browser, service);
  say(`\nload ${loadavg()[0]!.toFixed(1)}`);
} finally {
  await browser.close();
  await service.close();
}
