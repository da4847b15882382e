import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { File } from '#protocol/hosted/files.ts';
import type { CloudTransfer } from '#protocol/hosted/transfers.ts';
import { ProviderError } from '#providers/errors.ts';
import { putIntoCloud } from '#test/support/service/import-bench.ts';
import { newSender, openLink, type Sender } from '#test/support/service/sender.ts';
import { startTestService, type TestAnswer, type TestService } from '#test/support/service/start-service.ts';
import { fileDigest } from '#test/support/service/stored-files.ts';
import { type FakeClouds, useInMemoryClouds } from '#test/support/service/transfer-provider.ts';
import { nowhere, putConnection, readTransfer } from '#test/support/service/transfers.ts';

const MiB = 1024 * 1024;

let t: TestService;
let clouds: FakeClouds;
beforeAll(async () => {
  t = await startTestService();
});
afterAll(() => t?.close());
beforeEach(() => {
  clouds = useInMemoryClouds(t);
});

const collecting = (fields: Parameters<typeof putConnection>[1] = {}) =>
  putConnection(t, { provider: 'wasabi_s3', direction: 'cloud_to_service', ...fields });

type Answer = TestAnswer<CloudTransfer & { message: string }>;

const start = (sender: Sender, body: Record<string, unknown>, headers: Readonly<Record<string, string>> = sender.token): Promise<Answer> =>
  t.call('POST', `/v1/packages/${sender.package.id}/transfer`, { headers, body });

const change = (transfer: CloudTransfer, what: 'retry' | 'cancel'): Promise<TestAnswer> =>
  t.call('PUT', `/v1/transfers/${transfer.id}/${what}`, { headers: { 'x-transfer-token': transfer.access_token } });

const becomes = (transfer: Pick<CloudTransfer, 'id' | 'access_token'>, state: CloudTransfer['state']): Promise<CloudTransfer> =>
  vi.waitFor(
    async () => {
      const now = await readTransfer(t, transfer);
      expect(now.state, now.error || now.state_message).toBe(state);
      return now;
    },
    { timeout: 20_000, interval: 50 },
  );

const filesOf = async ({ package: { id }, token }: Sender): Promise<File[]> =>
  (await t.call<File[]>('GET', `/v1/packages/${id}/files`, { headers: token })).body;

/** Headers with the token of a package's first link. */
async function recipientOf(sender: Sender): Promise<Readonly<Record<string, string>>> {
  const [link] = await sender.links();
  return { 'x-package-token': (await openLink(t, link!)).body.package_token };
}

const pathOf = ({ path, name }: File): string => (path === '' ? name : `${path}/${name}`);

const below = (id: string, name = id) => ({ id, name, kind: 'directory' });
const one = (id: string, name = id) => ({ id, name, kind: 'file' });

/** Of a package whose chunks are as small as the storage takes them. */
const large = randomBytes(12 * MiB);

async function imported(sender: Sender, files: readonly unknown[], fields: Record<string, unknown> = {}): Promise<CloudTransfer> {
  const made = await start(sender, { cloud_connection_id: await collecting(), files, ...fields });
  expect(made.status, made.body.message).toBe(201);
  return made.body;
}

/** Rows by which it would go on. */
async function remembered({ id }: Pick<CloudTransfer, 'id'>): Promise<readonly unknown[]> {
  const { db } = t.service.services;
  const tables = ['cloud_import_items', 'cloud_import_files', 'cloud_import_chunks'] as const;
  return (await Promise.all(tables.map((table) => db.selectFrom(table).selectAll().where('transfer_id', '=', id).execute()))).flat();
}

describe('an import that finalizes its package', () => {
  const stateOf = async (sender: Sender) =>
    (await t.call<{ state: string }>('GET', `/v1/packages/${sender.package.id}`, { headers: sender.token })).body.state;

  it('does so by itself when all has come, and its recipients have their links', async () => {
    putIntoCloud(clouds.cloud, 'a.mov', Buffer.from('a'));
    const sender = await newSender(t, { recipients: ['r@example.com'] });
    await imported(sender, [one('a.mov')], { finalize: true });
    await vi.waitFor(async () => expect(await stateOf(sender)).toBe('finalized'), { timeout: 20_000, interval: 50 });
    expect((await sender.links()).map(({ email }) => email)).toEqual(['r@example.com']);
  });

  it('waits for files that are still uploaded, and for whoever may manage it', async () => {
    putIntoCloud(clouds.cloud, 'a.mov', Buffer.from('a'));
    const sender = await newSender(t);
    await t.call('POST', `/v1/packages/${sender.package.id}/files`, {
      headers: sender.token,
      body: { kind: 'file', name: 'b.mov', path: '', last_modified: '2026-11-01T00:00:00.000Z' },
    });
    await becomes(await imported(sender, [one('a.mov')], { finalize: true }), 'complete');
    const { db } = t.service.services;
    await vi.waitFor(
      async () => {
        const { rows } = await sql<{ state: string }>`
          select state from jobs.job where name = 'packages.finalize' and data ->> 'package_id' = ${sender.package.id}`.execute(db);
        expect(rows).toEqual([{ state: 'completed' }]);
      },
      { timeout: 20_000, interval: 50 },
    );
    expect(await stateOf(sender)).toBe('new');
  });

  it('is refused for a delivery', async () => {
    const sender = await newSender(t);
    await sender.finalize();
    const refused = await start(sender, { cloud_connection_id: await putConnection(t, { provider: 'wasabi_s3' }), finalize: true });
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('finalize') } });
  });
});

describe('an import', () => {
  it('brings a folder and a file into a package, which is finalized and downloaded as any other', async () => {
    putIntoCloud(clouds.cloud, 'dailies/day 1/a.mov', large);
    putIntoCloud(clouds.cloud, 'dailies/day 1/empty.txt', Buffer.alloc(0));
    putIntoCloud(clouds.cloud, 'notes.txt', Buffer.from('notes'));
    clouds.cloud.folders.add('dailies/day 2');
    const sender = await newSender(t, { chunk_size: 5 * MiB, recipients: ['r@example.com'] });
    const transfer = await imported(sender, [below('dailies', 'Rushes'), one('notes.txt', 'read me/notes.txt')]);
    expect(transfer).toMatchObject({ direction: 'cloud_to_service', provider: 'wasabi_s3', state: 'pending' });
    const counts = { bytes: large.length + 5, total_bytes: large.length + 5, files: 4, total_files: 4 };
    expect((await becomes(transfer, 'complete')).progress).toEqual(counts);
    expect(await remembered(transfer)).toEqual([]);

    const files = await filesOf(sender);
    expect(files.map(pathOf)).toEqual(['Rushes/day 2', 'Rushes/day 1/a.mov', 'Rushes/day 1/empty.txt', 'read me/notes.txt']);
    expect(files[1]).toMatchObject({
      state: 'finalized',
      size: large.length,
      chunk_size: 5 * MiB,
      digest: fileDigest(large, 5 * MiB),
      last_modified: '2026-03-04T05:06:07.000Z',
    });
    expect((await sender.finalize()).status).toBe(204);
    const reader = await recipientOf(sender);
    const answer = await t.call<{ url: string }>('GET', `/v1/packages/${sender.package.id}/files/${files[1]!.id}/download`, {
      headers: reader,
    });
    expect(Buffer.from(await (await fetch(answer.body.url)).arrayBuffer()).equals(large)).toBe(true);
  });

  it('takes credentials for one use, and forgets them', async () => {
    putIntoCloud(clouds.cloud, 'a.txt', Buffer.from('a'));
    const sender = await newSender(t);
    const made = await start(sender, { single_use: { provider: 'wasabi_s3', authorization: nowhere }, files: [one('a.txt')] });
    expect(made.status, made.body.message).toBe(201);
    await becomes(made.body, 'complete');
    expect((await filesOf(sender)).map(pathOf)).toEqual(['a.txt']);
    const row = await t.service.services.db
      .selectFrom('cloud_transfers')
      .select('sealed_authorization')
      .where('id', '=', made.body.id)
      .executeTakeFirstOrThrow();
    expect(row.sealed_authorization).toBeNull();
  });

  it('brings a file that changes meanwhile in one version', async () => {
    const [first, second] = [large, randomBytes(7 * MiB)];
    putIntoCloud(clouds.cloud, 'a.mov', first);
    let asked = 0;
    clouds.before = async (call) => {
      if (call === 'openRange' && ++asked === 3) putIntoCloud(clouds.cloud, 'a.mov', second);
    };
    const sender = await newSender(t, { chunk_size: 5 * MiB });
    const done = await becomes(await imported(sender, [one('a.mov')]), 'complete');
    expect(done.progress).toEqual({ bytes: second.length, total_bytes: second.length, files: 1, total_files: 1 });
    const files = await filesOf(sender);
    expect(files).toMatchObject([{ name: 'a.mov', size: second.length, digest: fileDigest(second, 5 * MiB) }]);
  });
});

describe('starting one is refused', () => {
  it.each<[string, Record<string, unknown>, number, string]>([
    ['without files', {}, 400, 'files: name what shall be brought'],
    ['with none', { files: [] }, 400, 'files: name what shall be brought'],
    ['with a name that no package holds', { files: [one('a.txt', 'a:b')] }, 400, 'files[0].name: "a:b" contains :'],
    ['with one name twice', { files: [one('a'), one('b', 'a')] }, 400, 'files[1].name: files[0] has this name already.'],
    ['outside of the folders of its connection', { files: [one('open/a'), one('closed/a', 'b')] }, 400, 'files[1].id: it lies outside'],
    ['with steps that lead out of them', { files: [one('open/../closed/a', 'a')] }, 400, 'files[0].id: it must not have steps'],
  ])('%s', async (_, fields, status, message) => {
    const sender = await newSender(t);
    const connection = await collecting({ source_directory_ids: ['open'] });
    const made = await start(sender, { cloud_connection_id: connection, ...fields });
    expect(made).toMatchObject({ status, body: { message: expect.stringContaining(message) } });
  });

  it('for a package that is finalized, a provider that does not collect, and a recipient', async () => {
    const sender = await newSender(t, { recipients: ['r@example.com'] });
    const files = [one('a.txt')];
    const delivering = await start(sender, { single_use: { provider: 'generic_s3', authorization: nowhere }, files });
    expect(delivering.status).toBe(400);
    expect((await sender.finalize()).status).toBe(204);
    const late = await start(sender, { cloud_connection_id: await collecting(), files });
    expect(late).toMatchObject({ status: 409, body: { message: expect.stringContaining('is finalized') } });
    const reader = await recipientOf(sender);
    const asked = await start(sender, { single_use: { provider: 'wasabi_s3', authorization: nowhere }, files }, reader);
    expect(asked.status).toBe(403);
  });
});

describe('one that fails', () => {
  it('says what cannot come before anything is made, and goes on when it is there', async () => {
    putIntoCloud(clouds.cloud, 'd/a.txt', Buffer.from('a'));
    putIntoCloud(clouds.cloud, 'd/cold.mov', Buffer.from('cold'), { archived: true });
    const sender = await newSender(t);
    const transfer = await imported(sender, [below('d')]);
    expect((await becomes(transfer, 'error')).error).toContain('d/cold.mov: It lies in cold storage.');
    expect(await filesOf(sender)).toEqual([]);
    putIntoCloud(clouds.cloud, 'd/cold.mov', Buffer.from('cold'));
    expect((await change(transfer, 'retry')).status).toBe(204);
    await becomes(transfer, 'complete');
    expect((await filesOf(sender)).map(pathOf)).toEqual(['d/a.txt', 'd/cold.mov']);
  });

  it('goes on by itself after a failure that passes, and asks for no stored chunk again', async () => {
    putIntoCloud(clouds.cloud, 'a.mov', large);
    const asked: number[] = [];
    const storedChunks = async () => {
      const chunks = t.service.services.db.selectFrom('cloud_import_chunks').selectAll('cloud_import_chunks');
      const ofThis = chunks.innerJoin('cloud_transfers', 'cloud_transfers.id', 'transfer_id').where('state', '=', 'started');
      return (await ofThis.execute()).length;
    };
    let broken = true;
    clouds.before = async (call, request) => {
      if (call !== 'openRange') return;
      const { start: at = 0 } = (request as { range?: { start: number } }).range ?? {};
      // The last chunk comes when the others are stored.
      if (broken && at === 10 * MiB) {
        await expect.poll(storedChunks).toBe(2);
        throw new ProviderError('busy', 'The provider is busy.');
      }
      asked.push(at);
    };
    const sender = await newSender(t, { chunk_size: 5 * MiB });
    const transfer = await imported(sender, [one('a.mov')]);
    await expect
      .poll(() => readTransfer(t, transfer))
      .toMatchObject({
        state: 'pending',
        state_message: expect.stringContaining('It is tried again by itself.'),
        progress: { bytes: 10 * MiB },
      });
    broken = false;
    await sql`update cloud_transfers set due_at = clock_timestamp() where id = ${transfer.id}`.execute(t.service.services.db);
    expect((await becomes(transfer, 'complete')).attempts).toBe(2);
    expect(asked.toSorted((first, second) => first - second)).toEqual([0, 5 * MiB, 10 * MiB]);
    expect(await filesOf(sender)).toMatchObject([{ digest: fileDigest(large, 5 * MiB) }]);
  });
});

describe('a package into which files come', () => {
  it('may be deleted meanwhile: nothing is left of them', async () => {
    putIntoCloud(clouds.cloud, 'd/b.mov', large);
    const begun = Promise.withResolvers<void>();
    clouds.before = async (call, _request, signal) => {
      if (call !== 'openRange') return;
      begun.resolve();
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const sender = await newSender(t, { chunk_size: 5 * MiB });
    const transfer = await imported(sender, [below('d')]);
    await begun.promise;
    expect((await t.call('DELETE', `/v1/packages/${sender.package.id}`, { headers: sender.token })).status).toBe(204);
    expect(await readTransfer(t, transfer)).toMatchObject({
      state: 'cancelled',
      state_message: 'Its package was deleted or has expired.',
    });
    await expect.poll(() => remembered(transfer), { timeout: 10_000 }).toEqual([]);
  });

  it('is not finalized before they have come; cancelled, what is unfinished is gone', async () => {
    putIntoCloud(clouds.cloud, 'd/a.txt', Buffer.from('a'));
    putIntoCloud(clouds.cloud, 'd/b.mov', large);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    clouds.before = async (call, request, signal) => {
      if (call !== 'openRange' || (request as { id: string }).id !== 'd/b.mov') return;
      await Promise.race([released, new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))]);
    };
    const sender = await newSender(t);
    const transfer = await imported(sender, [below('d')]);
    await expect.poll(async () => (await filesOf(sender)).map(({ state }) => state)).toEqual(['finalized', 'new']);
    expect(await sender.finalize()).toMatchObject({ status: 409, body: { message: expect.stringContaining('still brings files') } });
    expect((await change(transfer, 'cancel')).status).toBe(204);
    await expect.poll(async () => (await filesOf(sender)).map(pathOf)).toEqual(['d/a.txt']);
    release();

    expect((await change(transfer, 'retry')).status).toBe(204);
    await becomes(transfer, 'complete');
    expect((await filesOf(sender)).map(pathOf)).toEqual(['d/a.txt', 'd/b.mov']);
    expect((await sender.finalize()).status).toBe(204);
  });
});
