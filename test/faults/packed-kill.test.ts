import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import type { AuthResult } from '#protocol/hosted/accounts.ts';
import type { BatchCreated } from '#protocol/hosted/file-batches.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { batchPutAddress, batchPutHead } from '#protocol/storage/batch-put.ts';
import { firstOf, inAll } from '#test/support/level.ts';
import { batchesOf, resultOf } from '#test/support/service/batch-sender.ts';
import { usualOwner } from '#test/support/service/owner.ts';
import { startedTestDatabase } from '#test/support/service/postgres.ts';
import { etagFor, openLink, senderOf } from '#test/support/service/sender.ts';
import { callAt } from '#test/support/service/start-service.ts';
import { type ServiceProcess, startServiceProcess } from '#test/support/service/start-service-process.ts';
import { startForwarding } from '#test/support/storage/forwarding.ts';
import { hasSwift, newSwiftBucket } from '#test/support/storage/swift.ts';
import { eventually } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** A service that is killed while it has small files half way between their sender, its storage and its rows. */

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const contents: readonly Buffer[] = [randomBytes(300), Buffer.alloc(0), randomBytes(2_000)];

/** A database that outlives the service, with a client of its own. */
async function startData() {
  const folder = await tempFolder();
  cleanups.push(folder.remove);
  const dataDir = join(folder.path, 'data');
  const { url: databaseUrl, close } = await startedTestDatabase(dataDir);
  cleanups.push(close);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  cleanups.push(() => client.end());
  return { dataDir, databaseUrl, client };
}

async function startProcess(options: Parameters<typeof startServiceProcess>[0]): Promise<ServiceProcess> {
  const started = await startServiceProcess({ owner: usualOwner, ...options });
  cleanups.push(started.kill);
  return started;
}

/** A package whose small files were created together. */
async function createTogether(service: ServiceProcess) {
  const call = callAt(service.url);
  const { body } = await call<AuthResult>('POST', '/v1/auth', { body: usualOwner });
  const headers = { 'x-user-token': body.token };
  const made = await call<Package>('POST', `/v1/teams/${body.teams[0]!.id}/packages`, {
    headers,
    body: { name: 'Day 1', description: '', recipients: ['a@x.org'] },
  });
  const token = { 'x-package-token': made.body.access_token };
  const at = (url: string) => senderOf({ call: callAt(url) }, made.body, token);
  const batch = batchesOf({ call }, at(service.url));
  const { body: created } = await batch.create(contents.map(({ length }, index) => ({ name: `${index}`, size: length })));
  return { at, files: created.files };
}

async function putTogether(service: ServiceProcess, files: readonly BatchCreated[]): Promise<void> {
  const parts = files.map((one, index) => ({ blueprint: one.put_blueprint!, length: contents[index]!.length }));
  const url = `${service.storageUrl === '' ? `${service.url}/storage` : service.storageUrl}/-/parts`;
  const body = Buffer.concat([Buffer.from(batchPutHead(parts)), ...contents]);
  const answer = await fetch(batchPutAddress(url, parts), { method: 'POST', body });
  const { parts: sent } = (await answer.json()) as { parts: { etag?: string }[] };
  expect(sent.map(({ etag }) => etag)).toEqual(contents.map(etagFor));
}

/** Finalizes files and package, and fetches what was sent. */
async function expectArrived(service: ServiceProcess, { at, files }: Awaited<ReturnType<typeof createTogether>>): Promise<void> {
  const call = callAt(service.url);
  const sender = at(service.url);
  const results = files.map((one, index) => resultOf(one, etagFor(contents[index]!), contents[index]!.length));
  const { body } = await batchesOf({ call }, sender).finalize(results);
  expect(body.files.map(({ error }) => error)).toEqual(contents.map(() => undefined));
  expect((await sender.finalize()).status).toBe(204);
  const { body: info } = await openLink({ call }, (await sender.links())[0]!);
  const headers = { 'x-package-token': info.package_token };
  for (const [index, { file }] of files.entries()) {
    const one = await call<{ url: string }>('GET', `/v1/packages/${info.package_id}/files/${file!.id}/download`, { headers });
    expect(Buffer.from(await (await fetch(one.body.url)).arrayBuffer()).equals(contents[index]!)).toBe(true);
  }
}

const places: readonly (readonly [name: string, inS3: boolean])[] = [
  ['the local disk', false],
  ...(hasSwift() ? [['an S3', true] as const] : []),
];

describe('a service that is killed by kill -9', () => {
  it.each(firstOf(places))(
    'after %s has completed small files and before its rows say so, records them when it is asked again',
    async (_, inS3) => {
      const storage = inS3 ? { storageUrl: `${(await newSwiftBucket()).url}&packed=true` } : {};
      const { client, ...data } = await startData();
      const victim = await startProcess({ ...data, ...storage });
      const sent = await createTogether(victim);
      await putTogether(victim, sent.files);
      // Reading goes on, recording waits.
      await client.query('begin');
      await client.query('lock table files in share mode');
      const results = sent.files.map((one, index) => resultOf(one, etagFor(contents[index]!), contents[index]!.length));
      const lost = batchesOf({ call: callAt(victim.url) }, sent.at(victim.url)).finalize(results);
      lost.catch(() => undefined);
      const waiting = `from pg_locks where not granted and relation = 'files'::regclass`;
      await eventually('the rows wait', async () => (await client.query(`select pid ${waiting}`)).rows.length > 0);
      await victim.kill();
      await expect(lost).rejects.toThrow();
      // Otherwise what waits would still be recorded.
      await client.query(`select pg_terminate_backend(pid) ${waiting}`);
      await client.query('rollback');
      const { rows } = await client.query(`select count(*)::int as recorded from files where object_key is not null`);
      expect(rows).toEqual([{ recorded: 0 }]);
      await expectArrived(await startProcess({ ...data, ...storage }), sent);
    },
  );

  it.skipIf(!hasSwift())(
    'while it stores small files in an S3 leaves nothing there, and takes them again',
    inAll('the same kill over the local disk; storage-packed-s3'),
    async () => {
      const bucket = await newSwiftBucket();
      const reached = Promise.withResolvers<void>();
      const between = await startForwarding(bucket.endpoint, ({ method, url }) => {
        if (method !== 'PUT' || !url!.includes('/segments/')) return null;
        reached.resolve();
        return new Promise<null>(() => undefined);
      });
      cleanups.push(between.close);
      const detour = new URL(`${bucket.url}&packed=true`);
      detour.host = new URL(between.url).host;
      const { client: _, ...data } = await startData();
      const victim = await startProcess({ ...data, storageUrl: detour.href });
      const sent = await createTogether(victim);
      const lost = putTogether(victim, sent.files);
      lost.catch(() => undefined);
      await reached.promise;
      await victim.kill();
      await expect(lost).rejects.toThrow();
      expect(await bucket.stored()).toEqual([]);
      const next = await startProcess({ ...data, storageUrl: `${bucket.url}&packed=true` });
      await putTogether(next, sent.files);
      expect(await bucket.stored()).toHaveLength(1);
      await expectArrived(next, sent);
    },
  );
});
