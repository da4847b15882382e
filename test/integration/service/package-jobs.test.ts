import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Package } from '#protocol/hosted/packages.ts';
import type { Services } from '#service/handler.ts';
import { newId } from '#service/ids.ts';
import { StorageError } from '#storage/errors.ts';
import type { ObjectStorage } from '#storage/ports.ts';
import { whole } from '#test/support/level.ts';
import { inPairs } from '#test/support/service/in-pairs.ts';
import { hurryJobs, runJob } from '#test/support/service/jobs.ts';
import { managing, putPackage, readPackage } from '#test/support/service/packages.ts';
import { newSender, openLink, type Sender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { eventually } from '#test/support/system/processes.ts';

inPairs();

const day = 24 * 3600 * 1000;
const hello = Buffer.from('hello');
let t: TestService;
let offset = 0;
let services: Services;
beforeAll(async () => {
  t = await startTestService({ now: () => new Date(Date.now() + offset) });
  services = t.service.services;
});
afterAll(() => t?.close());

it('is tried with two services; in a run of the first level and in the second run of a soak with one', () => {
  expect(t.services).toHaveLength(whole && process.env['LONGSHORE_FAST'] !== 'off' ? 2 : 1);
});

const askedAt = async (packageId: string, { db } = services): Promise<Date | null> =>
  (await db.selectFrom('packages').select('free_asked_at').where('id', '=', packageId).executeTakeFirstOrThrow()).free_asked_at;
const waits = async (packageId: string, of = services): Promise<boolean> => (await askedAt(packageId, of)) !== null;
const filesOf = (packageId: string, { db } = services) => db.selectFrom('files').select('id').where('package_id', '=', packageId).execute();
const until = async (time: number, work: () => Promise<unknown>) => {
  offset += time;
  try {
    await work();
  } finally {
    offset -= time;
  }
};

async function sent(names: readonly string[]): Promise<{ sender: Sender; keys: string[] }> {
  const sender = await newSender(t, { recipients: ['a@x.org'] });
  const keys: string[] = [];
  for (const name of names) keys.push((await sender.send('', name, hello)).file.id);
  await sender.finalize();
  return { sender, keys };
}

describe('a package whose time has come', () => {
  it('expires, and what it took is freed; its record stays', async () => {
    const { sender, keys } = await sent(['a', 'b']);
    await sender.create({ kind: 'directory', name: 'c' });
    const [link] = await sender.links();
    const { id } = sender.package;
    const response = newId();
    await services.db
      .insertInto('form_responses')
      .values({
        id: response,
        form: JSON.stringify({ name: 'Form', delivery_formats: [], fields: [] }),
        answers: '{}',
        created_at: new Date(),
      })
      .execute();
    await services.db.updateTable('packages').set({ form_response_id: response }).where('id', '=', id).execute();
    expect((await readPackage(t, id)).custom_metadata_id).toBe(response);
    const { expiry } = await readPackage(t, id);

    await runJob(services, 'packages.expire', {});
    expect((await readPackage(t, id)).state).toBe('finalized');
    // A run passes over what another process has locked at that moment: the next one takes it.
    await until(10 * day + 1_000, () =>
      eventually('it expires', async () => {
        await runJob(services, 'packages.expire', {});
        return (await readPackage(t, id)).state === 'expired';
      }),
    );
    expect(await readPackage(t, id)).toMatchObject({ state: 'expired', expiry, recipients: ['a@x.org'], size: 10, usage_total_bytes: 0 });
    await eventually('its bytes are freed', async () => !(await waits(id)));
    for (const key of keys) expect(await services.storage.head(key)).toBeNull();
    expect(await filesOf(id)).toEqual([]);
    expect((await readPackage(t, id)).custom_metadata_id).toBe('');
    expect(await services.db.selectFrom('form_responses').select('id').where('id', '=', response).execute()).toEqual([]);
    expect((await openLink(t, link!)).status).toBe(410);
    // Doing it again does no harm.
    await runJob(services, 'packages.free', { package_id: id });
  });

  it('expires with many others at once; those that never expire, or later, stay', async () => {
    const due = await Promise.all(Array.from({ length: 230 }, () => putPackage(t, { expiry: new Date(Date.now() - 1_000) })));
    const others = [
      await putPackage(t),
      await putPackage(t, { expiry: new Date(Date.now() + day) }),
      await putPackage(t, { state: 'new', expiry: new Date(0) }),
    ];
    // In two processes at once, where there are two.
    await Promise.all([runJob(services, 'packages.expire', {}), runJob(t.services.at(-1)!.services, 'packages.expire', {})]);
    await runJob(services, 'packages.expire', {});
    const stateOf = async () => {
      const states = await services.db
        .selectFrom('packages')
        .select(['id', 'state'])
        .where('id', 'in', [...due, ...others])
        .execute();
      return new Map(states.map(({ id, state }) => [id, state]));
    };
    // The service's own worker may be at some of them: at every full minute it looks as well.
    await eventually('all that are due have expired', async () => {
      const states = await stateOf();
      return due.every((id) => states.get(id) === 'expired');
    });
    const states = await stateOf();
    expect(others.map((id) => states.get(id))).toEqual(['finalized', 'finalized', 'new']);
    const asked = await sql<{ packages: string; jobs: string }>`
      select count(distinct data->>'package_id') as packages, count(*) as jobs from jobs.job
      where name = 'packages.free' and data->>'package_id' = any(${due}::text[])`.execute(services.db);
    expect(asked.rows).toEqual([{ packages: due.length, jobs: due.length }]);
    await eventually('all are freed', async () => {
      const left = await services.db
        .selectFrom('packages')
        .select('id')
        .where('id', 'in', due)
        .where('free_asked_at', 'is not', null)
        .limit(1)
        .execute();
      return left.length === 0;
    });
  });

  it('keeps a longer time that was set at the last moment', async () => {
    const id = await putPackage(t, { expiry: new Date(Date.now() + 60_000) });
    const later = new Date(Date.now() + 5 * day).toISOString();
    await t.call<Package>('PUT', `/v1/packages/${id}/expiry`, { headers: await managing(t, id), body: { expiry: later } });
    await until(120_000, () => runJob(services, 'packages.expire', {}));
    expect((await readPackage(t, id)).state).toBe('finalized');
  });
});

/** A package that has ended, with files, that no worker is at. */
async function ended(files: number): Promise<{ id: string; keys: string[] }> {
  const { sender, keys } = await sent(Array.from({ length: files }, (_, index) => `file ${index}`));
  await services.db
    .updateTable('packages')
    .set({ state: 'expired', free_asked_at: services.now() })
    .where('id', '=', sender.package.id)
    .execute();
  return { id: sender.package.id, keys };
}

describe('freeing what a package took', () => {
  const failing = (fails: (key: string) => boolean): ObjectStorage => ({
    ...services.storage,
    delete: async (key) => {
      if (fails(key)) throw new StorageError('storage_unavailable', 'a test');
      await services.storage.delete(key);
    },
  });

  it('frees what it can while the storage fails, and the rest at the next attempt', async () => {
    const { id, keys } = await ended(4);
    const attempt = runJob(services, 'packages.free', { package_id: id }, { instead: { storage: failing((key) => key === keys[1]) } });
    await expect(attempt).rejects.toThrow(/did not free 1 objects/);
    expect(await filesOf(id)).toEqual([{ id: keys[1] }]);
    expect(await waits(id)).toBe(true);
    await runJob(services, 'packages.free', { package_id: id });
    expect(await filesOf(id)).toEqual([]);
    expect(await waits(id)).toBe(false);
    expect(await services.storage.head(keys[1]!)).toBeNull();
  });

  it('believes no storage that says it deleted what is still there', async () => {
    const { id, keys } = await ended(1);
    const storage: ObjectStorage = { ...services.storage, delete: async () => undefined };
    await expect(runJob(services, 'packages.free', { package_id: id }, { instead: { storage } })).rejects.toThrow(/did not free 1/);
    expect(await filesOf(id)).toEqual([{ id: keys[0] }]);
    await runJob(services, 'packages.free', { package_id: id });
    expect(await waits(id)).toBe(false);
  });

  it('stops when aborted, and loses nothing', async () => {
    const { id, keys } = await ended(2);
    const signal = AbortSignal.abort();
    await expect(runJob(services, 'packages.free', { package_id: id }, { signal })).rejects.toThrow();
    expect(await filesOf(id)).toHaveLength(2);
    await runJob(services, 'packages.free', { package_id: id });
    for (const key of keys) expect(await services.storage.head(key)).toBeNull();
  });

  it('is requested again after all attempts have failed', async () => {
    const { id } = await ended(1);
    const first = await askedAt(id);
    await runJob(services, 'objects.sweep', {});
    expect(await filesOf(id)).toHaveLength(1);
    await until(3 * day + 1_000, () =>
      eventually('it is asked for again', async () => {
        // A run passes over what another process has locked at that moment: the next one takes it.
        await runJob(services, 'objects.sweep', {});
        return (await askedAt(id))?.getTime() !== first?.getTime();
      }),
    );
    await eventually('it is freed after all', async () => {
      // An attempt that fails on a busy machine is not waited for.
      await hurryJobs(services.db, 'packages.free');
      return !(await waits(id));
    });
  });

  it('leaves packages alone that have not ended', async () => {
    const { sender, keys } = await sent(['a']);
    await runJob(services, 'packages.free', { package_id: sender.package.id });
    await runJob(services, 'packages.free', { package_id: newId() });
    expect(await services.storage.head(keys[0]!)).not.toBeNull();
  });
});

describe('the sweep', () => {
  it('ends an upload that was begun with the old request of a file that is gone', async () => {
    const sender = await newSender(t);
    const { body } = await sender.create({ name: 'late', size: 5 });
    const { id } = body.file;
    await t.call('DELETE', `/v1/packages/${sender.package.id}/files/${id}`, { headers: sender.token });
    const xml = await (await fetch(body.create_blueprint!.url, { method: 'POST' })).text();
    const uploadId = /<UploadId>([^<]+)/.exec(xml)![1]!;
    await runJob(services, 'objects.sweep', {});
    expect(await services.storage.listParts(id, uploadId)).toEqual([]);
    await until(day + 60_000, () => runJob(services, 'objects.sweep', {}));
    await expect(services.storage.listParts(id, uploadId)).rejects.toMatchObject({ code: 'no_such_upload' });
    expect(await services.db.selectFrom('freed_objects').selectAll().where('key', '=', id).execute()).toEqual([]);
  });

  it('gives up an upload that nobody has added to for a month, and no other', async () => {
    const abandoned = await newSender(t);
    await abandoned.send('', 'a', hello);
    const slow = await newSender(t);
    await slow.send('', 'a', hello);
    await until(29 * day, async () => {
      await runJob(services, 'objects.sweep', {});
      expect((await readPackage(t, abandoned.package.id)).state).toBe('new');
    });
    await services.db
      .updateTable('files')
      .set({ created_at: new Date(Date.now() + 20 * day) })
      .where('package_id', '=', slow.package.id)
      .execute();
    await until(31 * day, () => runJob(services, 'objects.sweep', {}));
    expect((await readPackage(t, abandoned.package.id)).state).toBe('expired');
    expect((await readPackage(t, slow.package.id)).state).toBe('new');
    await eventually('its bytes are freed', async () => (await filesOf(abandoned.package.id)).length === 0);
  });
});

it('a service that is closed while it frees goes on with it when it is started again', async () => {
  const own = await startTestService();
  try {
    const sender = await newSender(own);
    const keys: string[] = [];
    for (const name of ['a', 'b', 'c']) keys.push((await sender.send('', name, hello)).file.id);
    await sender.finalize();
    const { storage } = own.service.services;
    const { delete: free } = storage;
    const reached = Promise.withResolvers<void>();
    (storage as { delete: typeof free }).delete = async () => {
      reached.resolve();
      throw new StorageError('storage_unavailable', 'a test');
    };
    await own.call('DELETE', `/v1/packages/${sender.package.id}`, { headers: sender.token });
    await reached.promise;
    await own.stop();

    const again = await startTestService({ dataDir: own.dataDir, databaseUrl: own.databaseUrl });
    try {
      await eventually('it is freed by the next', async () => {
        await hurryJobs(again.service.services.db, 'packages.free');
        return !(await waits(sender.package.id, again.service.services));
      });
      for (const key of keys) expect(await again.service.services.storage.head(key)).toBeNull();
    } finally {
      await again.close();
    }
  } finally {
    await own.close();
  }
});
