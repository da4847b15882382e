import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { errorCatalogue } from '#protocol/errors.ts';
import type { BatchCreated, BatchDownload } from '#protocol/hosted/file-batches.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { Link, LinkInfo } from '#protocol/hosted/links.ts';
import { newId } from '#service/ids.ts';
import { objectDigest } from '#storage/digests.ts';
import { batchesOf, putWhole, resultOf } from '#test/support/service/batch-sender.ts';
import { inPairs } from '#test/support/service/in-pairs.ts';
import { etagFor, newSender, type Sender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

inPairs();

const MiB = 1024 * 1024;
const hello = Buffer.from('hello');
let t: TestService;

beforeAll(async () => {
  t = await startTestService();
});
afterAll(async () => {
  await t?.close();
});

const refusedAs = (error: keyof typeof errorCatalogue, message: RegExp) => ({
  error: { code: errorCatalogue[error].code, message: expect.stringMatching(message) },
});
const listed = async (of: Sender): Promise<File[]> =>
  (await t.call<File[]>('GET', `/v1/packages/${of.package.id}/files`, { headers: of.token })).body;

describe('the files of a batch', () => {
  it('are created, sent by one PUT each, finalized and closed', async () => {
    const sender = await newSender(t);
    const batch = batchesOf(t, sender);
    const contents = Array.from({ length: 300 }, (_, index) => randomBytes(index * 7));
    const asked = contents.map((bytes, index) => ({ name: `${index}.bin`, path: `folder-${index % 3}`, size: bytes.length }));
    const created = await batch.create([...asked, { kind: 'directory', name: 'empty' }]);
    expect(created.status).toBe(200);
    expect(created.body.files.map(({ file }) => [file?.name, file?.path])).toEqual([
      ...asked.map(({ name, path }) => [name, path]),
      ['empty', ''],
    ]);
    expect(created.body.files.at(-1)).toMatchObject({ file: { kind: 'directory', state: 'finalized' } });
    expect(created.body.files.at(-1)).not.toHaveProperty('put_blueprint');

    const results = await Promise.all(
      contents.map(async (bytes, index) => {
        const made = created.body.files[index]!;
        const etag = await putWhole(made, bytes);
        const digest = objectDigest([etag.slice('b3-'.length)]);
        return resultOf(made, etag, bytes.length, { digest });
      }),
    );
    const finalized = { status: 200, body: { files: results.map(({ file_id }) => ({ file_id })) } };
    expect(await batch.finalize(results)).toMatchObject(finalized);
    expect((await batch.finalize(results)).body).toEqual(finalized.body);
    expect(await sender.finalize()).toMatchObject({ status: 204 });
    const files = (await listed(sender)).filter(({ kind }) => kind === 'file');
    expect(files).toHaveLength(300);
    for (const file of files) {
      expect(file).toMatchObject({
        state: 'finalized',
        digest: objectDigest([etagFor(contents[Number.parseInt(file.name, 10)]!).slice(3)]),
      });
    }
  });

  it('take one statement each time, however many they are', async () => {
    const sender = await newSender(t, { recipients: ['mia@harbour.example'] });
    const batch = batchesOf(t, sender);
    const asked = Array.from({ length: 40 }, (_, index) => ({ name: `${index}.bin`, size: 5 }));
    const sent = vi.spyOn(pg.Client.prototype, 'query');
    const counted = async <T>(work: () => Promise<T>): Promise<readonly [number, T]> => {
      sent.mockClear();
      const result = await work();
      const texts = sent.mock.calls.map(([statement]) => (statement as unknown as { text?: string }).text ?? String(statement));
      return [texts.filter((text) => /(into|update|from) "?files\b/.test(text)).length, result];
    };
    try {
      const [creating, created] = await counted(() => batch.create(asked));
      const results = await Promise.all(created.body.files.map(async (one) => resultOf(one, await putWhole(one, hello), 5)));
      const [finalizing, finalized] = await counted(() => batch.finalize(results));
      expect(finalized.body.files.filter(({ error }) => error)).toEqual([]);
      await sender.finalize();
      const [link] = (await t.call<Link[]>('GET', `/v1/packages/${sender.package.id}/links`, { headers: sender.token })).body;
      const opened = await t.call<LinkInfo>('GET', `/v1/links/${link!.id}?secret=${link!.download_secret}`);
      // Their receipts read the files, too.
      const mails = sql<{ left: number }>`select count(*)::int as left from jobs.job where name like 'mail.%' and state < 'completed'`;
      await expect.poll(async () => (await mails.execute(t.service.services.db)).rows[0]!.left).toBe(0);
      const [addressing, addresses] = await counted(() =>
        t.call<{ files: BatchDownload[] }>('POST', `/v1/packages/${sender.package.id}/files/batch/download`, {
          headers: { 'x-package-token': opened.body.package_token! },
          body: { file_ids: results.map(({ file_id }) => file_id) },
        }),
      );
      expect(addresses.body.files.every(({ url }) => url)).toBe(true);
      expect([creating, addressing]).toEqual([1, 1]);
      // Another process than the one that created them reads first what is known of them.
      expect([1, 2]).toContain(finalizing);
    } finally {
      sent.mockRestore();
    }
  });

  it('are refused one by one with a chunk size that contradicts theirs', async () => {
    const sender = await newSender(t);
    const batch = batchesOf(t, sender);
    const made = (
      await batch.create([
        { name: 'a', size: 5 },
        { name: 'b', size: 5 },
      ])
    ).body.files;
    const results = await Promise.all(made.map(async (one) => resultOf(one, await putWhole(one, hello), 5)));
    const ended = await batch.finalize([{ ...results[0]!, chunk_size: 6 * MiB }, results[1]!]);
    expect(ended.body.files.map(({ error }) => error?.message)).toEqual([expect.stringMatching(/^chunk_size: /), undefined]);
  });

  it('are declared by the spec', async () => {
    expect((await t.call('GET', '/v1/system/packages/spec')).body).toMatchObject({ max_batch_files: 1_000 });
  });

  it('of more chunks or of unknown size begin like single files', async () => {
    const sender = await newSender(t, { chunk_size: 5 * MiB });
    const { body } = await batchesOf(t, sender).create([
      { name: 'large', size: 5 * MiB + 1 },
      { name: 'unknown' },
      { name: 'just fits', size: 5 * MiB },
    ]);
    const next = ({ put_blueprint, create_blueprint, upload_id }: BatchCreated) => [
      put_blueprint?.method,
      create_blueprint?.method,
      typeof upload_id,
    ];
    expect(body.files.map(next)).toEqual([
      [undefined, 'POST', 'undefined'],
      [undefined, 'POST', 'undefined'],
      ['PUT', undefined, 'string'],
    ]);
  });

  it('can be created again after a lost answer: each exists once, and bytes sent before are freed', async () => {
    const sender = await newSender(t);
    const batch = batchesOf(t, sender);
    const asked = Array.from({ length: 40 }, (_, index) => ({ name: `${index}`, size: 5 }));
    const first = await batch.create(asked);
    await putWhole(first.body.files[0]!, hello);
    const second = await batch.create(asked);
    expect(second.body.files.every(({ error }) => error === undefined)).toBe(true);
    expect((await listed(sender)).map(({ id }) => id).sort()).toEqual(second.body.files.map(({ file }) => file!.id).sort());
    const { storage, db } = t.service.services;
    for (const { file, upload_id } of first.body.files) expect(await storage.listParts(file!.id, upload_id!)).toEqual([]);
    expect(await db.selectFrom('freed_objects').select('key').where('freed_at', 'is', null).execute()).toEqual([]);
    const late = first.body.files[1]!.put_blueprint!;
    // It is taken for no file, and freed with what is never finalized.
    expect((await fetch(late.url, { method: 'PUT', body: hello })).status).toBe(200);
    await storage.endUploads!(new Date(Date.now() + 3_600_000));
    expect(await storage.listParts(first.body.files[1]!.file!.id, first.body.files[1]!.upload_id!)).toEqual([]);
  });

  it('list their confirmed chunks, get new blueprints, and can be finalized one by one', async () => {
    const sender = await newSender(t);
    const { body } = await batchesOf(t, sender).create([{ name: 'a', size: 5 }]);
    const [made] = body.files;
    const at = `/v1/packages/${sender.package.id}/files/${made!.file!.id}`;
    const chunks = () => t.call('GET', `${at}/chunks?upload_id=${made!.upload_id}`, { headers: sender.token });
    expect((await chunks()).body).toEqual([]);
    const blueprints = await t.call<{ url: string }[]>('POST', `${at}?start=0&count=1`, {
      headers: sender.token,
      body: { upload_id: made!.upload_id },
    });
    expect((await fetch(blueprints.body[0]!.url, { method: 'PUT', body: hello })).status).toBe(200);
    expect((await chunks()).body).toEqual([{ part_number: '1', etag: etagFor(hello), size: 5 }]);
    const { file_id: _, ...result } = resultOf(made!, etagFor(hello), 5);
    expect((await t.call('POST', `${at}/finalize`, { headers: sender.token, body: result })).status).toBe(204);
  });

  it('are all refused if the package accepts no files or the call is malformed', async () => {
    const closed = await newSender(t);
    const batch = batchesOf(t, closed);
    const { body } = await batch.create([{ name: 'a', size: 5 }]);
    await batch.finalize([resultOf(body.files[0]!, await putWhole(body.files[0]!, hello), 5)]);
    await closed.finalize();
    expect((await batch.create([{ name: 'late', size: 5 }])).status).toBe(409);
    expect((await batch.create([])).status).toBe(400);
    expect((await batch.create(Array.from({ length: 1_001 }, (_, index) => ({ name: `${index}` })))).status).toBe(400);
    const unnamed = await batch.create([{ size: 5 }]);
    expect([unnamed.status, unnamed.body.message]).toEqual([400, expect.stringMatching(/files\[0\]\.name/)]);
    const other = await newSender(t);
    const path = `/v1/packages/${other.package.id}/files/batch`;
    expect((await t.call('POST', path, { headers: closed.token, body: { files: [{ name: 'x' }] } })).status).toBe(404);
  });

  it('of another package do not exist', async () => {
    const [one, other] = [await newSender(t), await newSender(t)];
    const { body } = await batchesOf(t, one).create([{ name: 'a', size: 5 }]);
    const result = resultOf(body.files[0]!, await putWhole(body.files[0]!, hello), 5);
    expect((await batchesOf(t, other).finalize([result])).body.files).toMatchObject([refusedAs('not_found', /file/)]);
    expect((await batchesOf(t, one).finalize([result])).body.files).toEqual([{ file_id: result.file_id }]);
  });

  it('named twice in one call count once, and can be finalized twice', async () => {
    const sender = await newSender(t);
    const batch = batchesOf(t, sender);
    const { body } = await batch.create([
      { name: 'a', size: 5 },
      { name: 'a', size: 6 },
    ]);
    expect(body.files[1]).toMatchObject(refusedAs('invalid_request', /files\[0\]/));
    const result = resultOf(body.files[0]!, await putWhole(body.files[0]!, hello), 5);
    const other = { ...result, chunk_extras: [{ part_number: '1', etag: etagFor(Buffer.from('other')) }] };
    const { files } = (await batch.finalize([result, result, other])).body;
    expect(files).toMatchObject([
      { file_id: result.file_id },
      { file_id: result.file_id },
      refusedAs('state_conflict', /finalized already/),
    ]);
    expect(files[1]).not.toHaveProperty('error');
  });

  it('deleted while they are finalized leave no object behind', async () => {
    const sender = await newSender(t);
    const batch = batchesOf(t, sender);
    const { body } = await batch.create(Array.from({ length: 20 }, (_, index) => ({ name: `${index}`, size: 5 })));
    const results = await Promise.all(body.files.map(async (made) => resultOf(made, await putWhole(made, hello), 5)));
    const removed = Promise.all(
      results.map(({ file_id }) => t.call('DELETE', `/v1/packages/${sender.package.id}/files/${file_id}`, { headers: sender.token })),
    );
    const finalized = await batch.finalize(results);
    await removed;
    expect(finalized.status).toBe(200);
    for (const { file_id } of results) expect(await t.service.services.storage.head(file_id)).toBeNull();
    expect(await listed(sender)).toEqual([]);
  });
});

/** Entries of every kind that a sender can ask for. `standing` was there before: sent whole, or begun. */
const entry = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd', 'whole', 'half', 'folder', '..', 'CON', 'x'.repeat(256), 'Ünï', 'a|b', 'a\0b', '\ud800'),
  path: fc.constantFrom('', 'deep/er', '/etc', 'p'.repeat(250)),
  kind: fc.constantFrom('file', 'file', 'file', 'directory'),
  size: fc.option(fc.constantFrom(0, 5, 5 * MiB, 5 * MiB + 1, 50_000 * MiB + 1), { nil: undefined }),
  chunk_size: fc.option(fc.constantFrom(5 * MiB, 5 * MiB + 7), { nil: undefined }),
});

/** What a sender says of a file that it has created, rightly or not. */
const claim = fc.constantFrom(
  'right',
  'unsent',
  'wrong etag',
  'wrong size',
  'wrong digest',
  'two chunks',
  'no such upload',
  'gone',
  'done',
  'unknown',
);

describe('each file of a batch has the same result as by its own call', () => {
  const outcome = (status: number, body: unknown) => (status < 300 ? 'made' : body);
  const plain = ({ id: _, ...file }: File) => file;

  it('when it is created', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(entry, { maxLength: 12, minLength: 1, selector: ({ path, name }) => `${path}/${name}` }),
        async (entries) => {
          const [single, many] = [await newSender(t, { chunk_size: 5 * MiB }), await newSender(t, { chunk_size: 5 * MiB })];
          for (const sender of [single, many]) {
            await sender.send('', 'whole', hello);
            await sender.begin('', 'half', { size: 9 });
            await sender.create({ kind: 'directory', name: 'folder' });
          }
          const alone = [];
          for (const one of entries) alone.push(await single.create(one));
          const { status, body } = await batchesOf(t, many).create(entries);
          // What is too long for the shape of its own call is refused there by the shape's words.
          const words = (answer: unknown) =>
            (answer as { message?: string }).message?.includes('characters') ? { code: errorCatalogue.invalid_request.code } : answer;
          expect(status).toBe(200);
          expect(body.files.map((one) => (one.error === undefined ? plain(one.file!) : words(one.error)))).toEqual(
            alone.map((one) => (one.status === 201 ? plain(one.body.file) : words(one.body))),
          );
          expect((await listed(many)).map(plain)).toEqual((await listed(single)).map(plain));
        },
      ),
      { numRuns: 25 },
    );
  });

  it('when it is finalized', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(claim, { maxLength: 10, minLength: 1 }), async (claims) => {
        const answers: unknown[][] = [];
        const standing: unknown[] = [];
        for (const how of ['alone', 'together']) {
          const sender = await newSender(t);
          const batch = batchesOf(t, sender);
          const made = (await batch.create(claims.map((_, index) => ({ name: `${index}`, size: 5 })))).body.files;
          const results = [];
          for (const [index, kind] of claims.entries()) results.push(await claimed(sender, made[index]!, kind));
          if (how === 'together') {
            const { files } = (await batch.finalize(results)).body;
            answers.push(files.map(({ error }) => error ?? 'made'));
          } else {
            const alone: unknown[] = [];
            for (const { file_id, ...body } of results) {
              const path = `/v1/packages/${sender.package.id}/files/${file_id}/finalize`;
              const answer = await t.call('POST', path, { headers: sender.token, body });
              alone.push(outcome(answer.status, answer.body));
            }
            answers.push(alone);
          }
          standing.push((await listed(sender)).map(plain));
        }
        expect(answers[1]).toEqual(answers[0]);
        expect(standing[1]).toEqual(standing[0]);
      }),
      { numRuns: 25 },
    );
  });

  async function claimed(sender: Sender, made: BatchCreated, kind: string) {
    const right = resultOf(made, etagFor(hello), 5);
    if (kind === 'unknown') return { ...right, file_id: newId() };
    if (kind !== 'unsent') await putWhole(made, hello);
    const path = `/v1/packages/${sender.package.id}/files/${right.file_id}`;
    switch (kind) {
      case 'wrong etag':
        return { ...right, chunk_extras: [{ part_number: '1', etag: etagFor(Buffer.from('other')) }] };
      case 'wrong size':
        return { ...right, size: 6 };
      case 'wrong digest':
        return { ...right, file_extras: { ...right.file_extras, digest: objectDigest(['00'.repeat(32)]) } };
      case 'two chunks':
        return { ...right, chunk_extras: [...right.chunk_extras, { part_number: '2', etag: etagFor(hello) }] };
      case 'no such upload':
        return { ...right, file_extras: { upload_id: '0'.repeat(32) } };
      case 'gone':
        await t.call('DELETE', path, { headers: sender.token });
        return right;
      case 'done': {
        const { file_id: _, ...body } = right;
        await t.call('POST', `${path}/finalize`, { headers: sender.token, body });
        return right;
      }
      default:
        return right;
    }
  }
});
