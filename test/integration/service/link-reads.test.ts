import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Link } from '#protocol/hosted/links.ts';
import { newId } from '#service/ids.ts';
import { createLinkReads } from '#service/links/reads.ts';
import { newSender, type Sender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

/** The statements that open links: of one and of many, as the database has them, planned once. */

let t: TestService;
let sender: Sender;
let links: Link[];

beforeAll(async () => {
  t = await startTestService();
  sender = await newSender(t);
  await sender.send('', 'a', Buffer.from('hello'));
  await sender.finalize();
  const addresses = Array.from({ length: 40 }, (_, index) => `r${index}@x.org`);
  links = await Promise.all(
    addresses.map(async (email) => {
      const { body } = await t.call<Link>('POST', `/v1/packages/${sender.package.id}/links`, { headers: sender.token, body: { email } });
      return body;
    }),
  );
});
afterAll(async () => {
  await t?.close();
});

it("returns each link's own state, for more links than one statement takes, deleted ones included", async () => {
  const reads = createLinkReads(t.service.services.db);
  const asked = [...links.map(({ id }) => id), newId(), links[3]!.id, newId(), links[39]!.id];
  const found = await Promise.all(asked.map(reads.read));
  const emails = new Map(links.map(({ id, email }) => [id, email]));
  expect(found.map((link) => [link?.id, link?.email, link?.package_id])).toEqual(
    asked.map((id) => (emails.has(id) ? [id, emails.get(id), sender.package.id] : [undefined, undefined, undefined])),
  );
});

it('reads the database anew each time', async () => {
  const reads = createLinkReads(t.service.services.db);
  const [{ id }] = links as [Link];
  expect((await reads.read(id))?.disabledAt).toBeNull();
  await t.call('DELETE', `/v1/packages/${sender.package.id}/links/${id}`, { headers: sender.token });
  const [one, other] = await Promise.all([reads.read(id), reads.read(links[1]!.id)]);
  expect([one?.disabledAt instanceof Date, other?.disabledAt]).toEqual([true, null]);
});

it('is planned once, for one link and for many', async () => {
  await t.service.services.db.connection().execute(async (one) => {
    const reads = createLinkReads(one);
    for (let round = 0; round < 12; round += 1) {
      await reads.read(links[round]!.id);
      await Promise.all(links.slice(0, 2 + round).map(({ id }) => reads.read(id)));
    }
    const { rows } = await sql<{ custom: number }>`
      select custom_plans::int as custom from pg_prepared_statements
      where statement like '%portalLogo%' and generic_plans > 0`.execute(one);
    // PostgreSQL looks at the values of the first five runs, and then keeps a plan for any.
    expect(rows).toEqual(Array(2).fill({ custom: 5 }));
  });
});
