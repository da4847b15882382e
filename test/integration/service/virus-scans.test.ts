import { once } from 'node:events';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Services } from '#service/handler.ts';
import { ScanError, type Verdict, type VirusScanner } from '#service/viruses/ports.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { newSender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

/** What a scan does with scanners, storages and other processes that fail. With the real clamd: viruses.test.ts. */

let t: TestService;
let clockAhead = 0;
beforeAll(async () => {
  t = await startTestService({ now: () => new Date(Date.now() + clockAhead) });
});
afterAll(() => t?.close());

const db = () => t.service.services.db;
const scanOf = (id: string) => db().selectFrom('package_scans').selectAll().where('package_id', '=', id).executeTakeFirstOrThrow();
const findingsOf = async (id: string) =>
  (
    await db()
      .selectFrom('scan_findings')
      .innerJoin('files', 'files.id', 'scan_findings.file_id')
      .select(['files.name', 'detail'])
      .where('scan_findings.package_id', '=', id)
      .orderBy('files.place')
      .execute()
  ).map(({ name, detail }) => `${name}: ${detail}`);

async function readAll(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const piece of bytes) text += Buffer.from(piece).toString('latin1');
  return text;
}

/** Scans by the text of a file. */
const scannerOf = (
  scan: (text: string, signal: AbortSignal) => Promise<Verdict> | Verdict,
  more: Partial<VirusScanner> = {},
): VirusScanner => ({
  maxBytes: 1_000_000,
  scan: async (bytes, signal) => await scan(await readAll(bytes), signal),
  version: async () => 'Test 1',
  ...more,
});
const clean: Verdict = { kind: 'clean' };

/** A finalized package that waits for its scan; each file holds its own name. */
async function waiting(...names: readonly string[]): Promise<string> {
  const sender = await newSender(t);
  for (const name of names) await sender.send('', name, Buffer.from(name));
  expect((await sender.finalize()).status).toBe(204);
  const at = t.service.services.now();
  await db().insertInto('package_scans').values({ package_id: sender.package.id, created_at: at, due_at: at }).execute();
  return sender.package.id;
}
const scan = (scanner: VirusScanner, instead: Partial<Services> = {}) =>
  runJob(t.service.services, 'viruses.scan', {}, { instead: { scanner, ...instead } });
/** Another attempt, once its time has come. */
const nextAttempt = (scanner: VirusScanner) => {
  clockAhead += 900_000;
  return scan(scanner);
};
const problems = async () => (await t.service.services.facts.health.problems()).map(({ error }) => error);

beforeEach(async () => {
  await db().deleteFrom('package_scans').execute();
});

it('has no package wait where nothing scans', async () => {
  const sender = await newSender(t);
  await sender.send('', 'a.txt', Buffer.from('a'));
  expect((await sender.finalize()).status).toBe(204);
  expect(await db().selectFrom('package_scans').selectAll().execute()).toEqual([]);
});

describe('a scanner that fails', () => {
  it('is not taken for files that cannot be scanned, however often it fails', async () => {
    const id = await waiting('a', 'b');
    // It can be reached, and answers each question with nonsense: another server, or a proxy whose clamd is away.
    const broken = scannerOf(() => Promise.reject(new ScanError('broken', 'closed')), {
      version: () => Promise.reject(new ScanError('broken', 'closed')),
    });
    for (let attempt = 0; attempt < 8; attempt += 1) await nextAttempt(broken);
    expect(await scanOf(id)).toMatchObject({ state: 'pending', attempts: 8, files: 0 });
    expect(await problems()).toContain('scanner_unavailable');
    await nextAttempt(scannerOf(() => clean));
    expect(await scanOf(id)).toMatchObject({ state: 'done', files: 2, unscanned: 0, attempts: 0 });
    expect(await problems()).not.toContain('scanner_unavailable');
  });

  it('loses only the file on which it fails, and no other with it', async () => {
    const id = await waiting('a', 'b', 'crash', 'd', 'e');
    let isUp = true;
    const scanner = scannerOf(
      (text) => {
        if (!isUp) throw new ScanError('unreachable', 'gone');
        if (text === 'crash') isUp = false;
        if (!isUp) throw new ScanError('broken', 'closed');
        return clean;
      },
      { version: () => (isUp ? Promise.resolve('Test 1') : Promise.reject(new ScanError('unreachable', 'gone'))) },
    );
    for (let attempt = 0; attempt < 16 && (await scanOf(id)).state === 'pending'; attempt += 1) {
      isUp = true;
      await nextAttempt(scanner);
    }
    expect(await scanOf(id)).toMatchObject({ state: 'done', files: 5, unscanned: 1 });
    expect(await findingsOf(id)).toEqual(['crash: refused']);
  });

  it('is still a problem while only files are left out that it was never asked for', async () => {
    const away = scannerOf(() => Promise.reject(new ScanError('unreachable', 'gone')), { maxBytes: 3 });
    await waiting('abc');
    await scan(away);
    expect(await problems()).toContain('scanner_unavailable');
    const large = await waiting('more than three bytes');
    await scan(away);
    expect(await scanOf(large)).toMatchObject({ state: 'done', unscanned: 1 });
    expect(await problems()).toContain('scanner_unavailable');
    await nextAttempt(scannerOf(() => clean));
    expect(await problems()).not.toContain('scanner_unavailable');
  });
});

it('calls nothing clean of which the scanner has not had all bytes', async () => {
  const id = await waiting('whole', 'cut');
  const { storage } = t.service.services;
  const cutting = {
    ...storage,
    read: async (key: string) => {
      const text = await readAll(await storage.read(key));
      return Readable.from([Buffer.from(text === 'cut' ? 'cu' : text)]);
    },
  };
  await scan(
    scannerOf(() => clean),
    { storage: cutting },
  );
  expect(await findingsOf(id)).toEqual(['cut: unreadable']);
});

it('survives bytes that break before the scanner asks for the first', async () => {
  const id = await waiting('a');
  const { storage } = t.service.services;
  const broken = new Readable({ read: () => undefined });
  // A connection to clamd can take seconds, and nobody reads meanwhile.
  const slow = scannerOf(() => clean, {
    scan: async () => {
      broken.destroy(new Error('reset'));
      await new Promise((resolve) => setImmediate(resolve));
      throw new ScanError('unreachable', 'gone');
    },
  });
  await scan(slow, { storage: { ...storage, read: async () => broken } });
  expect(await scanOf(id)).toMatchObject({ state: 'pending', attempts: 1 });
});

it('asks a scanner that says nothing for a few files at once, however many wait', async () => {
  const names = Array.from({ length: 12 }, (_, n) => `f${n}`);
  const ids = [await waiting(...names), await waiting(...names)];
  let asked = 0;
  const enough = new AbortController();
  const reached = Promise.withResolvers<void>();
  const silent = scannerOf(async (_, signal) => {
    asked += 1;
    if (asked === 4) reached.resolve();
    await once(signal, 'abort');
    throw signal.reason;
  });
  const { services } = t.service;
  const scanning = runJob(services, 'viruses.scan', {}, { signal: enough.signal, instead: { scanner: silent } });
  await reached.promise;
  // One whose turn comes while they wait: each job of a process is for itself.
  await runJob(services, 'objects.sweep', {});
  expect(asked).toBe(4);
  enough.abort(new Error('the service stops'));
  await expect(scanning).rejects.toThrow('the service stops');
  expect(asked).toBe(4);
  await scan(scannerOf(() => clean));
  for (const id of ids) expect(await scanOf(id)).toMatchObject({ state: 'done', files: names.length, unscanned: 0 });
});

describe('a package and its processes', () => {
  it('keeps its lease while files take longer than that', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const id = await waiting(...names);
    let others = 0;
    const patient = scannerOf(async () => {
      // All together take longer than a lease; another process looks for work amid each.
      clockAhead += 200_000;
      await scan(
        scannerOf(() => {
          others += 1;
          return clean;
        }),
      );
      return clean;
    });
    await scan(patient);
    expect(others).toBe(0);
    expect(await scanOf(id)).toMatchObject({ state: 'done', files: names.length });
  });

  it('is left alone by a process that has lost it', async () => {
    const id = await waiting('a', 'b');
    const slow = scannerOf(async (text) => {
      if (text === 'a') {
        clockAhead += 24 * 3_600_000;
        await scan(scannerOf(() => clean));
      }
      return { kind: 'infected', virus: 'Late' };
    });
    await scan(slow);
    expect(await scanOf(id)).toMatchObject({ state: 'done', files: 2, infected: 0 });
    expect(await findingsOf(id)).toEqual([]);
  });

  it('ends quietly where its package expires and is freed amid its scan', async () => {
    const id = await waiting('a', 'b', 'c', 'd', 'e', 'f');
    let isOver = false;
    await scan(
      scannerOf(async () => {
        if (!isOver) {
          isOver = true;
          await db()
            .updateTable('packages')
            .set({ state: 'expired', expiry: new Date(0) })
            .where('id', '=', id)
            .execute();
          await runJob(t.service.services, 'packages.free', { package_id: id });
        }
        return clean;
      }),
    );
    expect(await scanOf(id)).toMatchObject({ state: 'done', attempts: 0 });
  });

  it('notes what a stop leaves, and the next goes on there', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `f${String(n).padStart(2, '0')}`);
    const id = await waiting(...names);
    const stop = new AbortController();
    const seen: string[] = [];
    const first = scannerOf((text) => {
      seen.push(text);
      if (text === 'f05') stop.abort(new Error('stopping'));
      return clean;
    });
    await expect(runJob(t.service.services, 'viruses.scan', {}, { signal: stop.signal, instead: { scanner: first } })).rejects.toThrow(
      'stopping',
    );
    const { files, state, leased_until, attempts } = await scanOf(id);
    expect({ state, leased_until, attempts }).toEqual({ state: 'pending', leased_until: null, attempts: 0 });
    expect(files).toBeGreaterThan(0);
    const again: string[] = [];
    await scan(
      scannerOf((text) => {
        again.push(text);
        return clean;
      }),
    );
    expect(again).toHaveLength(names.length - files);
    expect(new Set([...seen, ...again])).toEqual(new Set(names));
    expect(await scanOf(id)).toMatchObject({ state: 'done', files: 12 });
  });
});
