import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { providers } from '#protocol/providers.ts';
import { newId } from '#service/ids.ts';
import { plainBrand } from '#service/mail/brand.ts';
import { textPart } from '#service/mail/text-part.ts';
import { readTransferLetter } from '#service/mail/transfer-letter.ts';
import { openLink, type Sender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { type FakeClouds, useInMemoryClouds } from '#test/support/service/transfer-provider.ts';
import {
  askTransfer,
  changeTransfer,
  nowhere,
  putConnection,
  putTransfer,
  sentPackage,
  threeFiles,
  transferBecomes,
} from '#test/support/service/transfers.ts';

let t: TestService;
let clouds: FakeClouds;
beforeAll(async () => {
  t = await startTestService({ processes: 1 });
});
afterAll(() => t?.close());
beforeEach(() => {
  clouds = useInMemoryClouds(t);
});

/** A package, and headers with the token that its link gives. */
async function linked(name: string): Promise<{ readonly sender: Sender; readonly headers: Record<string, string> }> {
  const sender = await sentPackage(t, { 'a.mov': threeFiles['a.mov'] }, { name, recipients: ['r@example.com'] });
  const [link] = await sender.links();
  return { sender, headers: { 'x-package-token': (await openLink(t, link!)).body.package_token } };
}

const bringing = (target: string, authorization: Record<string, string> = { ...nowhere }) => ({
  single_use: { provider: 'generic_s3', authorization, target_directory_id: target },
});

describe('whoever has a link', () => {
  it('leaves half of the places to connections, however slow the storage is that they bring', async () => {
    const { sender, headers } = await linked('Slow');
    const hold = Promise.withResolvers<void>();
    const begun = new Set<string>();
    clouds.before = async (call, request, signal) => {
      const path = call === 'begin' ? (request as { path: string }).path : '';
      if (!path.startsWith('slow')) return;
      begun.add(path);
      await Promise.race([hold.promise, new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))]);
    };
    try {
      const slow = [];
      for (const n of [1, 2, 3, 4, 5]) {
        // Each at another storage, so that the limit of one storage does not hold them.
        slow.push((await askTransfer(t, sender, bringing(`slow ${n}`, { ...nowhere, destination: `bucket-${n}` }), headers)).body);
      }
      const own = await askTransfer(t, sender, { cloud_connection_id: await putConnection(t) });
      await transferBecomes(t, own.body, 'complete');
      expect(begun.size).toBe(2);
      hold.resolve();
      for (const one of slow) await transferBecomes(t, one, 'complete');
    } finally {
      hold.resolve();
    }
  });

  it('uses up no transfers that the Team could begin', async () => {
    const { sender, headers } = await linked('Many');
    for (let n = 0; n < limits.singleUseTransfersPerPackage; n++) await putTransfer(t, { package_id: sender.package.id, state: 'error' });
    expect(await askTransfer(t, sender, bringing('mine'), headers)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('at most 20 transfers with single-use credentials') },
    });
    expect((await askTransfer(t, sender, { cloud_connection_id: await putConnection(t) })).status).toBe(201);
  });

  it('writes no mail to others with it', async () => {
    const { sender } = await linked('Report');
    const lure = 'You have won! Claim it at www.evil.example now';
    const { db } = t.service.services;
    const letterOf = async (fields: Parameters<typeof putTransfer>[1]) => {
      const read = await readTransferLetter(db, { transfer_id: await putTransfer(t, fields), language: 'en' }, 'files.example.com');
      return 'letter' in read ? textPart(read.letter, plainBrand('')) : '';
    };
    const arrived = { package_id: sender.package.id, state: 'complete', folder: lure } as const;
    expect(await letterOf(arrived)).not.toContain('evil');
    expect(await letterOf({ ...arrived, cloud_connection_id: await putConnection(t) })).toContain(lure);
  });

  it('leaves no secret in the database, over or not', async () => {
    const { sender, headers } = await linked('Secret');
    const secret = 'sesame-opens-every-door';
    const { body } = await askTransfer(t, sender, bringing('mine', { ...nowhere, client_secret: secret }), {
      ...headers,
      'idempotency-key': newId(),
    });
    const { db } = t.service.services;
    const { rows: tables } = await sql<{ name: string }>`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`.execute(db);
    expect(tables.length).toBeGreaterThan(30);
    const findSecret = async (): Promise<string[]> => {
      const found = [];
      for (const { name } of tables) {
        const { rows } = await sql`select 1 from ${sql.raw(name)} as one where one::text like ${`%${secret}%`}`.execute(db);
        if (rows.length > 0) found.push(name);
      }
      return found;
    };
    expect(await findSecret()).toEqual([]);
    await transferBecomes(t, body, 'complete');
    expect(await findSecret()).toEqual([]);
  });

  it('does nothing with the package of others, and nothing with the transfer of others', async () => {
    const [one, other] = [await linked('One'), await linked('Other')];
    expect((await askTransfer(t, other.sender, bringing('mine'), one.headers)).status).toBe(404);
    expect((await t.call('GET', `/v1/packages/${one.sender.package.id}/transfer`, { headers: one.headers })).status).toBe(403);
    const made = await askTransfer(t, one.sender, bringing('mine'), one.headers);
    const theirs = await askTransfer(t, other.sender, bringing('theirs'), other.headers);
    const stolen = { id: theirs.body.id, access_token: made.body.access_token };
    expect((await changeTransfer(t, stolen, 'cancel')).status).toBe(404);
    expect((await changeTransfer(t, stolen, 'retry')).status).toBe(404);
    expect(
      (await askTransfer(t, one.sender, { ...bringing('mine'), files: [{ id: 'a', name: 'a', kind: 'file' }] }, one.headers)).status,
    ).toBe(403);
    for (const name of ['desktop_sg', 'jellyfish_sg'] as const) {
      expect(providers[name].gateway).toBe(true);
      expect((await askTransfer(t, one.sender, { single_use: { provider: name, authorization: {} } }, one.headers)).status).toBe(400);
    }
  });
});
