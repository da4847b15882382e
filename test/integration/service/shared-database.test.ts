import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuthResult, CreatedApiKey } from '#protocol/hosted/accounts.ts';
import { secretFileName } from '#service/data-folder.ts';
import { defaultRequestLimits } from '#service/http/rate-limits.ts';
import { claimHome } from '#service/objects-home.ts';
import { type RunningService, startService } from '#service/server.ts';
import { emptyTestDatabase } from '#test/support/service/postgres.ts';
import { newSender } from '#test/support/service/sender.ts';
import { callAt } from '#test/support/service/start-service.ts';
import { shareSecret } from '#test/support/service/two-services.ts';
import { eventually } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const owner = { email: 'owner@example.com', password: 'correct horse battery staple', team: 'Harbour' };

let postgres: Awaited<ReturnType<typeof emptyTestDatabase>>;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let services: readonly RunningService[] = [];
const folderOf = (name: string) => join(folder.path, name);
const start = (name: string) =>
  startService({ listen: { host: '127.0.0.1', port: 0 }, dataDir: folderOf(name), databaseUrl: postgres.url, owner, logLevel: 'silent' });

beforeAll(async () => {
  [postgres, folder] = await Promise.all([emptyTestDatabase(), tempFolder()]);
  await shareSecret(folderOf('a'), folderOf('b'));
  services = await Promise.all([start('a'), start('b')]);
});
afterAll(async () => {
  await Promise.all(services.map((service) => service.close()));
  await postgres?.close();
  await folder?.remove();
});

describe('two services on one database', () => {
  it('started concurrently on an empty one create one first owner', () => {
    expect(services.filter(({ firstRun }) => firstRun !== undefined)).toHaveLength(1);
  });

  it("accept each other's tokens and keys, and know of changes soon", async () => {
    const [one, two] = services.map(({ url }) => callAt(url)) as [ReturnType<typeof callAt>, ReturnType<typeof callAt>];
    const auth = await one<AuthResult>('POST', '/v1/auth', { body: owner });
    const headers = { 'x-user-token': auth.body.token };
    const key = await two<CreatedApiKey>('POST', `/v1/teams/${auth.body.teams[0]!.id}/api_keys`, {
      headers,
      body: { name: 'Shared', state: 'active' },
    });
    const use = (call: typeof one) => call('GET', '/v1/users/me', { headers: { 'x-api-key': key.body.key } });
    expect((await use(one)).status).toBe(200);
    expect((await use(two)).status).toBe(200);

    expect((await one('DELETE', `/v1/api_keys/${key.body.id}`, { headers })).status).toBe(204);
    expect((await use(one)).status).toBe(401);
    await eventually('the other forgets the key', async () => (await use(two)).status === 401);
  });

  it('accept a new sign-in at once after a change of password at the other', async () => {
    const [one, two] = services.map(({ url }) => callAt(url)) as [ReturnType<typeof callAt>, ReturnType<typeof callAt>];
    const signIn = async (password: string) => (await one<AuthResult>('POST', '/v1/auth', { body: { ...owner, password } })).body;
    const use = async (token: string) => (await two('GET', '/v1/users/me', { headers: { 'x-user-token': token } })).status;
    const change = ({ token, user }: AuthResult, current: string, password: string) =>
      one('POST', `/v1/users/${user.id}/password`, { headers: { 'x-user-token': token }, body: { current_password: current, password } });
    const before = await signIn(owner.password);
    expect(await use(before.token)).toBe(200);
    expect((await change(before, owner.password, 'another password')).status).toBe(204);
    const after = await signIn('another password');
    expect(await use(after.token)).toBe(200);
    expect(await use(before.token)).toBe(401);
    expect((await change(after, 'another password', owner.password)).status).toBe(204);
  });

  it('run a creating call once that both receive concurrently', async () => {
    const calls = services.map(({ url }) => callAt(url));
    const auth = await calls[0]!<AuthResult>('POST', '/v1/auth', { body: owner });
    const made = await Promise.all(
      calls.map((call) =>
        call<CreatedApiKey>('POST', `/v1/teams/${auth.body.teams[0]!.id}/api_keys`, {
          headers: { 'x-user-token': auth.body.token, 'idempotency-key': 'both' },
          body: { name: 'Both', state: 'active' },
        }),
      ),
    );
    expect(made.map(({ status }) => status)).toEqual([201, 201]);
    expect(made[0]!.body).toEqual(made[1]!.body);
  });

  it('a third with another key does not start, and says what to do', async () => {
    await expect(start('c')).rejects.toMatchObject({
      code: 'secret_key_of_another_service',
      message: expect.stringContaining('Copy the file secret.key'),
    });
  });

  it('a third with objects of its own does not start, and says what to do', async () => {
    await mkdir(folderOf('d'));
    await copyFile(join(folderOf('a'), secretFileName), join(folderOf('d'), secretFileName));
    await expect(start('d')).rejects.toMatchObject({
      code: 'storage_unusable',
      message: expect.stringContaining('give each the same --storage-url'),
    });
  });

  it('go from a folder to a bucket, and back, only while they have no file', async () => {
    const [{ url, services: known }] = services as [RunningService];
    const { db } = known;
    const homes = () => db.selectFrom('service_facts').select(['name', 'value']).where('name', 'like', 'objects_%').execute();
    const [folderFact] = await homes();
    expect(await claimHome(db, 'objects_bucket', 'one')).toBe('one');
    expect(await claimHome(db, 'objects_bucket', 'another')).toBe('one');
    expect(await claimHome(db, 'objects_folder', folderFact!.value)).toBe(folderFact!.value);
    expect(await homes()).toEqual([folderFact]);
    // Two that start at once, one of each kind: the second knows of the first.
    for (let round = 0; round < 10; round++) {
      await Promise.all([claimHome(db, 'objects_bucket', 'one'), claimHome(db, 'objects_folder', folderFact!.value)]);
      expect(await homes()).toHaveLength(1);
      await db.deleteFrom('service_facts').where('name', 'like', 'objects_%').execute();
    }
    await claimHome(db, 'objects_folder', folderFact!.value);

    const call = callAt(url);
    const { body: auth } = await call<AuthResult>('POST', '/v1/auth', { body: owner });
    const teamId = auth.teams[0]!.id;
    const headers = { 'x-user-token': auth.token };
    const { body: key } = await call<CreatedApiKey>('POST', `/v1/teams/${teamId}/api_keys`, {
      headers,
      body: { name: 'One', state: 'active' },
    });
    await (await newSender({ call, teamId, apiKey: key.key })).begin('', 'a.bin');
    await expect(claimHome(db, 'objects_bucket', 'one')).rejects.toMatchObject({
      code: 'storage_unusable',
      message: expect.stringContaining('Leave out --storage-url'),
    });
    expect(await homes()).toEqual([folderFact]);
  });

  // The last of all: no sign-in is left after it.
  it('count sign-ins of an address together', async () => {
    const calls = services.map(({ url }) => callAt(url));
    const attempt = (index: number) =>
      calls[index % 2]!('POST', '/v1/auth', { body: { email: `nobody-${index}@example.com`, password: 'wrong' } });
    const { signInsPerAddress } = defaultRequestLimits;
    const answers = await Promise.all(Array.from({ length: signInsPerAddress + 8 }, (_, index) => attempt(index)));
    const counts = {
      refused: answers.filter(({ status }) => status === 401).length,
      limited: answers.filter(({ status }) => status === 429).length,
    };
    // Each alone would let through all of them. A few have been counted before, and one more is let through every two seconds.
    expect(counts.refused + counts.limited).toBe(answers.length);
    expect(counts.limited).toBeGreaterThan(0);
  });
});
