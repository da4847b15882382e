import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSender, openLink } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

/** Two services on one database: what one of them finalizes, the other is asked to finalize too. */

let t: TestService;
beforeAll(async () => {
  t = await startTestService({ processes: 2 });
});
afterAll(() => t?.close());

const chunk = (fill: number) => Buffer.alloc(6_000_000, fill);

describe('one file, finalized by concurrent calls', () => {
  it('with the same content: all succeed, and it is finalized once', async () => {
    const sender = await newSender(t, { recipients: ['a@x.org'] });
    const upload = await sender.begin('', 'a.mov', { size: 6_000_000 });
    const etag = await upload.put(0, chunk(1));
    const answers = await Promise.all(Array.from({ length: 8 }, () => upload.finalize([etag], 6_000_000)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(204));
    const ends = await Promise.all(Array.from({ length: 8 }, () => sender.finalize()));
    expect(ends.map(({ status }) => status)).toEqual(Array(8).fill(204));
    const links = await sender.links();
    expect(links).toHaveLength(1);
    const { db } = t.service.services;
    const made = await db
      .selectFrom('packages')
      .select(['size', 'total_files'])
      .where('id', '=', sender.package.id)
      .executeTakeFirstOrThrow();
    expect([Number(made.size), made.total_files]).toEqual([6_000_000, 1]);
    const opened = await openLink(t, links[0]!);
    const headers = { 'x-package-token': opened.body.package_token };
    const address = await t.call<{ url: string }>('GET', `/v1/packages/${sender.package.id}/files/${upload.file.id}/download`, { headers });
    expect(Buffer.from(await (await fetch(address.body.url)).arrayBuffer()).equals(chunk(1))).toBe(true);
  });

  it('with different content: the wrong ones are refused in any order, and the file is the right one', async () => {
    for (let round = 0; round < 6; round++) {
      const sender = await newSender(t);
      const upload = await sender.begin('', 'a.mov', { size: 6_000_000 });
      const etag = await upload.put(0, chunk(2));
      const wrong = `b3-${'0'.repeat(64)}`;
      const claims = [etag, wrong, etag, wrong, wrong];
      const answers = await Promise.all(claims.map((claim) => upload.finalize([claim], 6_000_000)));
      expect(answers.map(({ status }) => status)).toEqual(claims.map((claim) => (claim === etag ? 204 : 409)));
      expect((await upload.finalize([etag], 6_000_000)).status).toBe(204);
      expect((await sender.finalize()).status).toBe(204);
    }
  });

  it('while it is replaced: the finalized one is whole, and the only one', async () => {
    for (let round = 0; round < 8; round++) {
      const sender = await newSender(t);
      const upload = await sender.begin('', 'a.mov', { size: 6_000_000 });
      const etag = await upload.put(0, chunk(3));
      const [ended, replaced] = await Promise.all([upload.finalize([etag], 6_000_000), sender.create({ name: 'a.mov', size: 5 })]);
      // Either it was finalized first, or it was gone.
      expect([ended.status, replaced.status]).toSatisfy(([end, place]: number[]) =>
        end === 204 ? place === 409 : end === 404 && place === 201,
      );
    }
  });
});
