import fs from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { runs } from '#test/support/faults/seeds.ts';
import { askPortalPackage, newPortal } from '#test/support/service/portals.ts';
import { startTestService, type TestAnswer, type TestService } from '#test/support/service/start-service.ts';

/** Somebody who tries one secret after another, by HTTP, at the usual limits. */

let t: TestService;
let logged: string[];
beforeAll(async () => {
  t = await startTestService({ trustProxy: '127.0.0.1', logLevel: 'info' });
  logged = [];
  const write = fs.writeSync.bind(fs) as (fd: number, text: string) => number;
  vi.spyOn(fs, 'writeSync').mockImplementation(((fd: number, data: unknown) => {
    if (fd !== 2) return write(fd, data as string);
    logged.push(String(data));
    return Buffer.byteLength(String(data));
  }) as typeof fs.writeSync);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await t?.close();
});
afterEach(() => {
  expect(logged.join('')).not.toMatch(/guess-|4711/);
  expect(logged.filter((line) => /"level":(50|60)/.test(line))).toEqual([]);
});

type Answer = TestAnswer<{ code: number; message: string }>;

/** One after another as fast as they go: 50 under way at a time. Gives how often each status came. */
async function inARow(many: number, ask: (n: number) => Promise<Answer>): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  let next = 0;
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      for (let n = next++; n < many; n = next++) {
        const { status, body, headers } = await ask(n);
        counts[status] = (counts[status] ?? 0) + 1;
        expect(Object.keys(body)).toEqual(['code', 'message']);
        expect(JSON.stringify(body)).not.toMatch(/guess-|4711|\.ts\b/);
        if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
    }),
  );
  return counts;
}

/** A hundred times what is looked at; in a soak, ten times that. */
const tries = runs(1_000, 10_000);

it(`${tries} wrong access codes in a row: ten are compared, nothing is created, and other senders go on`, {
  timeout: 600_000,
}, async () => {
  const portal = await newPortal(t, { access_code: '4711' });
  const from = (ip: string, code: string) => ({ 'x-forwarded-for': ip, 'x-access-code': code });
  const counts = await inARow(tries, (n) => askPortalPackage(t, portal.id, {}, from('198.51.100.7', `guess-${n}`)));
  expect(counts).toEqual({ 401: 10, 429: tries - 10 });
  const { db } = t.service.services;
  expect(await db.selectFrom('packages').select('id').where('portal_id', '=', portal.id).execute()).toEqual([]);
  expect((await askPortalPackage(t, portal.id, {}, from('198.51.100.7', '4711'))).status).toBe(429);
  expect((await askPortalPackage(t, portal.id, {}, from('203.0.113.5', '4711'))).status).toBe(201);
});
