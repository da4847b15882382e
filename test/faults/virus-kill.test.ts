import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BatchCreated } from '#protocol/hosted/file-batches.ts';
import { pathHash } from '#service/files/plan.ts';
import { openClamd } from '#service/viruses/clamd.ts';
import { parseClamdUrl } from '#service/viruses/clamd-address.ts';
import { parsePackedKey } from '#storage/packed-key.ts';
import { batchesOf, resultOf } from '#test/support/service/batch-sender.ts';
import { clamdLimits, hasClamd, type RunningClamd, startClamd, testVirus, testVirusName } from '#test/support/service/clamd.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { etagFor, newSender, openLink } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { startServiceProcess } from '#test/support/service/start-service-process.ts';
import { sendTogether } from '#test/support/storage/packed.ts';

/** A worker killed by kill -9 amid a scan by the real clamd, of files that share a segment. */

/** Before clamd: counts the files it is asked about, and keeps those beyond a number waiting. */
interface Gate {
  readonly url: string;
  asked(): number;
  /** Lets so many go through from now on; resolves when one more waits. */
  passes(count: number): Promise<void>;
  close(): Promise<void>;
}

async function startGate(clamd: RunningClamd): Promise<Gate> {
  const { port } = new URL(clamd.url.replace('tcp:', 'http:'));
  let [asked, left] = [0, Number.POSITIVE_INFINITY];
  let waits = Promise.withResolvers<void>();
  const open = new Set<Socket>();
  const server: Server = createServer((client) => {
    open.add(client);
    client.once('close', () => open.delete(client)).on('error', () => undefined);
    client.once('data', (first) => {
      if (!first.toString('latin1').startsWith('zINSTREAM')) return pass(first);
      asked += 1;
      left -= 1;
      if (left >= 0) return pass(first);
      client.pause();
      waits.resolve();
    });
    const pass = (first: Buffer): void => {
      const upstream = connect(Number(port), '127.0.0.1');
      upstream.on('error', () => client.destroy());
      upstream.write(first);
      client.pipe(upstream).pipe(client);
    };
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `tcp://127.0.0.1:${(server.address() as { port: number }).port}`,
    asked: () => asked,
    passes(count) {
      [asked, left] = [0, count];
      waits = Promise.withResolvers();
      return waits.promise;
    },
    async close() {
      for (const one of open) one.destroy();
      server.close();
    },
  };
}

describe.skipIf(!hasClamd())('a worker that is killed amid a scan', () => {
  let clamd: RunningClamd;
  let gate: Gate;
  let t: TestService;
  beforeAll(async () => {
    clamd = await startClamd();
    gate = await startGate(clamd);
    t = await startTestService({ processes: 1, roles: new Set(['api', 'storage']) });
  });
  afterAll(async () => {
    await t?.close();
    await gate?.close();
    await clamd?.close();
  });

  /** 64 files are a page, after which it is noted what was found. */
  const names = Array.from({ length: 70 }, (_, index) => `${index}.txt`).sort((a, b) => (pathHash('', a) < pathHash('', b) ? -1 : 1));
  const ill = [names[9]!, names[68]!];

  async function sentPacked() {
    const sender = await newSender(t, { recipients: ['post@example.com'] });
    const contents = names.map((name) => Buffer.from(ill.includes(name) ? `${name} ${testVirus}` : `${name} is well`));
    const batch = batchesOf(t, sender);
    const { body } = await batch.create(names.map((name, index) => ({ name, size: contents[index]!.length })));
    const files = body.files as readonly BatchCreated[];
    const uploads = files.map((one) => ({ key: one.file!.id, uploadId: one.upload_id!, put: one.put_blueprint! }));
    await sendTogether(t.service.services.storage, uploads, contents);
    await batch.finalize(files.map((one, index) => resultOf(one, etagFor(contents[index]!), contents[index]!.length)));
    expect((await sender.finalize()).status).toBe(204);
    return sender;
  }

  it('loses nothing: what it found stays blocked, and the next scans the rest once', async () => {
    const { db, jobs, now } = t.service.services;
    const sender = await sentPacked();
    const id = sender.package.id;
    const rows = await db.selectFrom('files').select(['id', 'name', 'object_key']).where('package_id', '=', id).execute();
    expect(new Set(rows.map(({ object_key }) => parsePackedKey(object_key ?? '')?.segment)).size).toBe(1);

    const waits = gate.passes(66);
    const at = now();
    await db.insertInto('package_scans').values({ package_id: id, created_at: at, due_at: at }).execute();
    await jobs.add(db, 'viruses.scan', {});
    const worker = await startServiceProcess({
      roles: new Set(['worker']),
      dataDir: t.dataDir,
      databaseUrl: t.databaseUrl!,
      publicUrl: t.url,
      storagePublicUrl: t.storageUrl,
      clamd: { url: gate.url, maxBytes: clamdLimits.maxFileSize },
      logLevel: 'error',
    });
    await waits;
    await worker.kill();

    const scan = () => db.selectFrom('package_scans').selectAll().where('package_id', '=', id).executeTakeFirstOrThrow();
    expect(await scan()).toMatchObject({ state: 'pending', files: 64, infected: 1 });
    const [link] = await sender.links();
    const headers = { 'x-package-token': (await openLink(t, link!)).body.package_token };
    const download = async (name: string) =>
      (await t.call('GET', `/v1/packages/${id}/files/${rows.find((row) => row.name === name)!.id}/download`, { headers })).status;
    expect([await download(ill[0]!), await download(names[0]!)]).toEqual([403, 200]);

    // Nobody takes it before its lease is over.
    void gate.passes(1_000);
    const scanner = openClamd(parseClamdUrl(gate.url), { maxBytes: clamdLimits.maxFileSize });
    await runJob(t.service.services, 'viruses.scan', {}, { instead: { scanner } });
    expect(gate.asked()).toBe(0);
    await runJob(t.service.services, 'viruses.scan', {}, { instead: { scanner, now: () => new Date(Date.now() + 16 * 60_000) } });
    expect(gate.asked()).toBe(6);
    expect(await scan()).toMatchObject({ state: 'done', files: 70, infected: 2, unscanned: 0 });
    expect(await Promise.all([ill[0]!, ill[1]!, names[0]!].map(download))).toEqual([403, 403, 200]);
    const found = await db.selectFrom('scan_findings').innerJoin('files', 'files.id', 'file_id').select(['name', 'detail']).execute();
    expect(found.map(({ name, detail }) => [name, detail]).sort()).toEqual(ill.map((name) => [name, testVirusName]).sort());
  });
});
