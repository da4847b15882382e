import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { Check } from 'typebox/value';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { File } from '#protocol/hosted/files.ts';
import { PackageEvent } from '#protocol/hosted/package-events.ts';
import { newId } from '#service/ids.ts';
import { emptyTestDatabase } from '#test/support/service/postgres.ts';
import { newSender, openLink, type Sender, sampleTime } from '#test/support/service/sender.ts';
import { callAt, startTestService, type TestService } from '#test/support/service/start-service.ts';
import { type EventReader, readEvents } from '#test/support/system/event-reader.ts';
import { eventually } from '#test/support/system/processes.ts';

let postgres: Awaited<ReturnType<typeof emptyTestDatabase>>;
/** Two services on one database, as two processes are. */
let t: TestService;
/** Where all calls go to the first. */
let first: TestService;
let other: Pick<TestService, 'url'>;
const open: EventReader[] = [];
beforeAll(async () => {
  postgres = await emptyTestDatabase();
  t = await startTestService({ processes: 2, databaseUrl: postgres.url });
  first = { ...t, call: callAt(t.url) };
  other = t.services[1]!;
});
afterEach(() => {
  for (const reader of open.splice(0)) reader.close();
});
afterAll(async () => {
  await t?.close();
  await postgres?.close();
});

async function watch(sender: Pick<Sender, 'package' | 'token'>, at: Pick<TestService, 'url'> = t): Promise<EventReader> {
  const reader = await readEvents(`${at.url}/v1/packages/${sender.package.id}/events`, sender.token);
  open.push(reader);
  return reader;
}
const latest = (reader: EventReader) => reader.events.at(-1);
/**
 * Resolves when the service at `call` tells this reader's service by name what it does. Until it has heard of the
 * reader it tells nobody, and counts follow only.
 */
async function acquainted({ package: { id }, token }: Sender, reader: EventReader, call: TestService['call']): Promise<void> {
  await eventually('one service knows of the other, which watches', async () => {
    const body = { kind: 'directory', path: '', name: newId(), last_modified: sampleTime };
    const made = await call<{ file: File }>('POST', `/v1/packages/${id}/files`, { headers: token, body });
    expect(made.status).toBe(201);
    const isNamed = () => changesOf(reader).some((change) => change.id === made.body.file.id);
    for (let waited = 0; waited < 1_000 && !isNamed(); waited += 20) await sleep(20);
    return isNamed();
  });
}
const changesOf = (reader: EventReader) => reader.events.flatMap(({ changes }) => changes);

describe("a package's events", () => {
  it('begin with its state and follow its files to the end', async () => {
    const sender = await newSender(t, { recipients: ['a@x.org'] });
    await sender.send('', 'before.txt', Buffer.from('123'));
    const reader = await watch(sender);
    expect(reader.status).toBe(200);
    expect(reader.headers.get('content-type')).toBe('text/event-stream');
    expect(reader.headers.get('cache-control')).toBe('no-store');
    await eventually('the state', async () => reader.events.length === 1);
    expect(reader.events[0]).toMatchObject({
      type: 'state',
      package_id: sender.package.id,
      state: 'new',
      files: { total: 1, finalized: 1 },
      bytes: { total: 3, finalized: 3 },
    });

    const upload = await sender.begin('day 1', 'a.mov', { size: 5 });
    await eventually('the file is there', async () => latest(reader)?.files.total === 2);
    expect(latest(reader)).toMatchObject({ type: 'progress', bytes: { total: 8, finalized: 3 } });
    expect(changesOf(reader)).toEqual([{ change: 'created', id: upload.file.id, path: 'day 1', name: 'a.mov', size: 5 }]);
    await upload.finalize([await upload.put(0, Buffer.from('hello'))], 5);
    await eventually('the file is finalized', async () => latest(reader)?.files.finalized === 2);
    expect(changesOf(reader).at(-1)).toMatchObject({ change: 'finalized', id: upload.file.id });
    const unwanted = await sender.begin('', 'b.mov', { size: 1 });
    await eventually('a third', async () => latest(reader)?.files.total === 3);
    await unwanted.remove();
    await eventually('it is gone', async () => latest(reader)?.files.total === 2);
    expect(changesOf(reader).at(-1)).toEqual({ change: 'deleted', id: unwanted.file.id });

    await sender.finalize();
    await eventually('finalized', async () => latest(reader)?.type === 'finalized');
    expect(latest(reader)).toMatchObject({ state: 'finalized', files: { total: 2, finalized: 2 }, bytes: { total: 8, finalized: 8 } });
    expect((await t.call('DELETE', `/v1/packages/${sender.package.id}`, { headers: sender.token })).status).toBe(204);
    await reader.ended;
    expect(latest(reader)).toMatchObject({ type: 'expired', state: 'expired' });
    for (const event of reader.events) expect(Check(PackageEvent, event)).toBe(true);
    expect(reader.ids).toEqual([...new Set(reader.ids)].sort());
    expect(reader.events.length).toBe(reader.ids.length);

    const late = await readEvents(`${t.url}/v1/packages/${sender.package.id}/events`, sender.token);
    expect(late.status).toBe(410);
  });

  it('are seen whichever process does the work', async () => {
    const sender = await newSender(t);
    const [here, there] = [await watch(sender, t), await watch(sender, other)];
    await eventually('both have begun', async () => here.events.length === 1 && there.events.length === 1);
    const [one, two] = t.services.map(({ url }) => callAt(url)) as [TestService['call'], TestService['call']];
    await Promise.all([acquainted(sender, there, one), acquainted(sender, here, two)]);
    const uploads = await Promise.all([1, 2, 3].map((n) => sender.send('', `${n}.txt`, Buffer.from('hello'))));
    const finalizedIn = (reader: EventReader) =>
      new Set(changesOf(reader).flatMap(({ id, change, name }) => (change === 'finalized' && name?.endsWith('.txt') ? [id] : [])));
    for (const reader of [here, there]) {
      await eventually('all three', async () => latest(reader)?.files.finalized === 3);
      // What another process did may be counted before it is named.
      await eventually('all are named', async () => finalizedIn(reader).size === 3);
      expect(finalizedIn(reader)).toEqual(new Set(uploads.map(({ file }) => file.id)));
    }
    await sender.finalize();
    await eventually('both know the end', async () => [here, there].every((reader) => latest(reader)?.type === 'finalized'));
  });

  it('say what has become of a file, also where another process tells late of its beginning', async () => {
    const sender = await newSender(first);
    const reader = await watch(sender, other);
    await eventually('it has begun', async () => reader.events.length === 1);
    await acquainted(sender, reader, first.call);
    const { file } = await sender.send('', 'a.txt', Buffer.from('hello'));
    const gone = await sender.send('', 'b.txt', Buffer.from('hello'));
    await gone.remove();
    // What has become of a file may be told by the first message of it: one that is told of after all others is the last.
    await acquainted(sender, reader, first.call);
    expect(changesOf(reader)).toContainEqual({ change: 'deleted', id: gone.file.id });
    reader.events.length = 0;
    const late = [file.id, gone.file.id].map((id) => [id, 'created'] as const);
    t.service.services.events.changed(sender.package.id, () => new Map(late));
    await eventually('the late ones are told', async () => changesOf(reader).length === 2);
    expect(changesOf(reader)).toEqual([
      { change: 'finalized', id: file.id, path: '', name: 'a.txt', size: 5 },
      { change: 'deleted', id: gone.file.id },
    ]);
  });

  it('go on after the connection that carries them broke', async () => {
    const sender = await newSender(first);
    const reader = await watch(sender, other);
    await eventually('it has begun', async () => reader.events.length === 1);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'longshore-events' and datname = current_database()`.execute(
      t.service.services.db,
    );
    await sender.send('', 'a.txt', Buffer.from('hello'));
    await eventually('the gap is caught up on', async () => latest(reader)?.files.finalized === 1);
    await sender.send('', 'b.txt', Buffer.from('hello'));
    await eventually('and what comes after', async () => latest(reader)?.files.finalized === 2);
  });

  it('name as many files as fit, and count the others', async () => {
    const sender = await newSender(first);
    const reader = await watch(sender, other);
    await eventually('it has begun', async () => reader.events.length === 1);
    await acquainted(sender, reader, first.call);
    reader.events.length = 0;
    const made = await first.call('POST', `/v1/packages/${sender.package.id}/files/batch`, {
      headers: sender.token,
      body: {
        files: Array.from({ length: 950 }, (_, n) => ({
          kind: 'file',
          path: '',
          name: `${n}`,
          size: 1,
          last_modified: '2026-11-20T18:04:11.000Z',
        })),
      },
    });
    expect(made.status).toBe(200);
    const told = () => changesOf(reader).length + reader.events.reduce((sum, event) => sum + event.unnamed_changes, 0);
    await eventually('all are told of', async () => latest(reader)?.files.total === 950 && told() === 950);
    for (const event of reader.events) expect(event.changes.length).toBeLessThanOrEqual(100);
  });

  it('are for any token of the package, and for no other', async () => {
    const sender = await newSender(t, { recipients: ['a@x.org'] });
    const stranger = await newSender(t);
    const url = `${t.url}/v1/packages/${sender.package.id}/events`;
    const { tokens } = t.service.services;
    const claims = { packageId: sender.package.id, tokenId: newId(), linkId: null, userId: null } as const;
    const writer = { package: sender.package, token: { 'x-package-token': await tokens.sign('package', { ...claims, variant: 'write' }) } };
    const writing = await watch(writer);
    await eventually('the uploader sees it', async () => writing.events.length === 1);
    expect((await readEvents(url, stranger.token)).status).toBe(404);
    expect((await readEvents(url, {})).status).toBe(401);
    expect((await readEvents(url, { 'x-api-key': t.apiKey })).status).toBe(401);

    await sender.send('', 'a.txt', Buffer.from('hello'));
    await sender.finalize();
    const [link] = await sender.links();
    const opened = await openLink(t, link!);
    const reading = await watch({ package: sender.package, token: { 'x-package-token': opened.body.package_token } });
    await eventually('the recipient sees it', async () => reading.events.length === 1);
    expect(reading.events[0]).toMatchObject({ state: 'finalized', files: { total: 1, finalized: 1 } });
  });

  it('end with the token', async () => {
    const sender = await newSender(t);
    const claims = { packageId: sender.package.id, variant: 'write', tokenId: newId(), linkId: null, userId: null } as const;
    let token: string;
    let reader: EventReader;
    // Its time is over before it is looked at where the machine is busy.
    let milliseconds = 2_500;
    do {
      token = await t.service.services.tokens.sign('package', claims, new Date(Date.now() + milliseconds));
      reader = await watch({ package: sender.package, token: { 'x-package-token': token } });
      milliseconds *= 2;
    } while (reader.status === 401);
    await eventually('it has begun', async () => reader.events.length === 1);
    await reader.ended;
    expect((await readEvents(`${t.url}/v1/packages/${sender.package.id}/events`, { 'x-package-token': token })).status).toBe(401);
  });

  it('are bounded for each token, and a permit is free again when its reader leaves', async () => {
    const sender = await newSender(t);
    const readers = await Promise.all(Array.from({ length: 10 }, () => watch(sender)));
    expect(readers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const refused = await watch(sender);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('10');
    readers[0]!.close();
    await eventually('a permit is free', async () => {
      const reader = await watch(sender);
      return reader.status === 200;
    });
  });

  it('end when the service does, without holding it up', async () => {
    const third = await startTestService();
    const sender = await newSender(third);
    const reader = await readEvents(`${third.url}/v1/packages/${sender.package.id}/events`, sender.token);
    await eventually('it has begun', async () => reader.events.length === 1);
    await third.close();
    // Ended in order: not cut after a wait.
    expect(await reader.ended).toBe('in order');
  });

  it('are not sent between processes for a package that nobody watches', async () => {
    const heard: string[] = [];
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    client.on('notification', ({ payload }) => heard.push(payload ?? ''));
    await client.query('listen longshore_realtime');
    const [quiet, watched] = [await newSender(first), await newSender(first)];
    const reader = await watch(watched, other);
    await eventually('the other process has said so', async () => heard.some((message) => message.includes(watched.package.id)));
    await quiet.send('', 'a.txt', Buffer.from('hello'));
    await watched.send('', 'a.txt', Buffer.from('hello'));
    await eventually('the watched one is told of', async () => heard.some((message) => message.includes('"changed"')));
    expect(heard.filter((message) => message.includes(quiet.package.id))).toEqual([]);
    await client.end();
    reader.close();
  });
});
