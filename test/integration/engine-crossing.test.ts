import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { ownerEmail, ownerPassword, startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const MiB = 1024 * 1024;

describe('a folder crosses', () => {
  let service: TestService;
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let sender: Engine;
  let receiver: Engine;

  beforeAll(async () => {
    folder = await tempFolder();
    service = await startTestService();
    sender = await startTestEngine({ dataDir: join(folder.path, 'sender'), serviceUrl: service.url, apiKey: service.apiKey });
    receiver = await startTestEngine({ dataDir: join(folder.path, 'receiver'), serviceUrl: service.url });
  });

  afterAll(async () => {
    await sender?.close();
    await receiver?.close();
    await service?.close();
    await folder?.remove();
  });

  async function send(paths: string[], more: object = {}) {
    const { id } = await sender.transfers.upload({
      team_id: service.teamId,
      paths,
      package_name: 'Dailies, day 12',
      recipients: [],
      ...more,
    });
    return transferWhen(sender, id);
  }

  async function fetchInto(url: string, dst_folder: string, more: object = {}) {
    const { id } = await receiver.transfers.download({ url, dst_folder, ...more });
    return transferWhen(receiver, id);
  }

  test('nested, Unicode, empty and zero-byte files arrive as they were, chunk by chunk', async () => {
    const source = join(folder.path, 'A001');
    writeTree(source, {
      'clip one.mov': seededBytes(12 * MiB + 7, 1),
      'a/b/c/deep.txt': 'deep',
      'empty/folder': null,
      'zero.bin': '',
      'Grüße/日本語 🎬.txt': 'ünïcode',
      'e\u0301.txt': 'decomposed',
    });
    symlinkSync('/etc/hostname', join(source, 'link'));

    const sent = await send([source], { chunk_size: 5 * MiB });
    expect(sent).toMatchObject({ state: 'complete', error: null, bytes: sent.total_bytes, files: 6, total_files: 6, seconds_left: 0 });
    expect(sent.url).toMatch(/\/d\/.+\?secret=.+/);
    const files = await sender.transfers.files(sent.id, { page: 1, limit: 100 });
    expect(files.records.find((file) => file.name === 'link')?.error?.message).toContain('symbolic link');

    const target = join(folder.path, 'received');
    const got = await fetchInto(sent.url, target);
    expect(got).toMatchObject({ state: 'complete', error: null, name: 'Dailies, day 12', bytes: sent.total_bytes, files: 6 });
    expect(got.url).not.toContain('secret');
    const expected = readTree(source);
    delete expected['link'];
    expect(readTree(join(target, 'A001'))).toEqual(expected);
  });

  test('a second download of the same package keeps both', async () => {
    const source = join(folder.path, 'twice');
    writeTree(source, { 'one.txt': 'first' });
    const sent = await send([join(source, 'one.txt')]);
    const target = join(folder.path, 'both');
    writeTree(target, { 'one.txt': 'mine' });
    await fetchInto(sent.url, target);
    await fetchInto(sent.url, target, { create_package_folder: true });
    await fetchInto(sent.url, target, { create_package_folder: true });
    expect(Object.keys(readTree(target)).sort()).toEqual([
      'Dailies, day 12 (2)/one.txt',
      'Dailies, day 12/one.txt',
      'one (2).txt',
      'one.txt',
    ]);
  });

  test('two roots of one name stand side by side, and each recipient gets a link', async () => {
    writeTree(join(folder.path, 'x/day'), { 'f.txt': 'x' });
    writeTree(join(folder.path, 'y/day'), { 'f.txt': 'y' });
    const sent = await send([join(folder.path, 'x/day'), join(folder.path, 'y/day')], { recipients: ['a@example.com', 'b@example.com'] });
    expect(sent.links.map((link) => link.email).sort()).toEqual(['a@example.com', 'b@example.com']);
    const target = join(folder.path, 'side');
    await fetchInto(sent.links[1]!.url, target);
    expect(Object.keys(readTree(target)).sort()).toEqual(['day (2)/f.txt', 'day/f.txt']);
  });

  test('only the files asked for come; an unknown one is said to be missing', async () => {
    const source = join(folder.path, 'some');
    writeTree(source, { 'a.txt': 'a', 'b.txt': 'b' });
    const sent = await send([source]);
    const link = await service.call<{ package_token: string }>('GET', sent.url.replace(/^.*\/d\//, '/v1/links/'));
    const listing = await service.call<{ id: string; name: string }[]>('GET', `/v1/packages/${sent.package_id}/files`, {
      headers: { 'x-package-token': link.body.package_token },
    });
    const wanted = listing.body.find((file) => file.name === 'b.txt')!;
    const target = join(folder.path, 'only');
    expect(await fetchInto(sent.url, target, { file_ids: [wanted.id] })).toMatchObject({ state: 'complete', total_files: 1 });
    expect(Object.keys(readTree(target))).toEqual(['some/b.txt']);
    const failed = await fetchInto(sent.url, target, { file_ids: ['nothing'] });
    expect(failed).toMatchObject({ state: 'error', error: { message: expect.stringContaining('no file') } });
  });

  test('a link with a wrong secret, a wrong path and a foreign Team are refused at once, in words', async () => {
    const source = join(folder.path, 'refused');
    writeTree(source, { 'a.txt': 'a' });
    const sent = await send([source]);
    await expect(receiver.transfers.download({ url: `${sent.url}x`, dst_folder: join(folder.path, 'r') })).rejects.toMatchObject({
      error: 'not_found',
    });
    await expect(receiver.transfers.download({ url: sent.url, dst_folder: 'relative' })).rejects.toMatchObject({
      error: 'path_not_absolute',
    });
    await expect(receiver.transfers.download({ url: sent.url, dst_folder: join(source, 'a.txt') })).rejects.toMatchObject({
      error: 'path_unreadable',
    });
    await expect(send([join(source, 'nope')])).rejects.toMatchObject({ error: 'path_not_found' });
    await expect(send([source], { team_id: 'other' })).rejects.toMatchObject({ error: 'not_found' });
  });

  test('a link with a password wants it', async () => {
    const source = join(folder.path, 'locked');
    writeTree(source, { 'a.txt': 'a' });
    const sent = await send([source], { password: 'open sesame!' });
    const target = join(folder.path, 'unlocked');
    await expect(receiver.transfers.download({ url: sent.url, dst_folder: target })).rejects.toMatchObject({
      error: 'link_password_wrong',
    });
    expect(await fetchInto(sent.url, target, { password: 'open sesame!' })).toMatchObject({ state: 'complete' });
  });

  test('the session: none, wrong password, signed in, restored, signed out', async () => {
    await expect(receiver.session.current()).rejects.toMatchObject({ code: 262146, message: 'session is nil', status: 401 });
    await expect(receiver.session.signIn(ownerEmail, 'wrong password')).rejects.toMatchObject({ error: 'wrong_password' });
    const dataDir = join(folder.path, 'session');
    const first = await startTestEngine({ dataDir, serviceUrl: service.url });
    const session = await first.session.signIn(ownerEmail, ownerPassword);
    expect(session).toMatchObject({ user: { email: ownerEmail }, teams: [{ id: service.teamId, name: 'Harbour' }] });
    await first.close();
    const second = await startTestEngine({ dataDir, serviceUrl: service.url });
    expect(await second.session.current()).toEqual(session);
    expect(await second.session.teams()).toEqual(session.teams);
    await second.session.signOut();
    await expect(second.session.current()).rejects.toMatchObject({ error: 'session_is_nil' });
    await second.close();
    const third = await startTestEngine({ dataDir, serviceUrl: service.url });
    await expect(third.session.current()).rejects.toMatchObject({ error: 'session_is_nil' });
    await third.close();
  });

  test('a key that is switched off ends the session, and switched on again brings it back', async () => {
    const headers = { 'x-user-token': service.userToken };
    const key = await service.call<{ id: string; key: string }>('POST', `/v1/teams/${service.teamId}/api_keys`, {
      headers,
      body: { name: 'Off and on', state: 'active' },
    });
    const engine = await startTestEngine({ dataDir: join(folder.path, 'off-and-on'), serviceUrl: service.url, apiKey: key.body.key });
    expect(await engine.session.teams()).toMatchObject([{ id: service.teamId }]);
    await service.call('PUT', `/v1/api_keys/${key.body.id}/inactive`, { headers });
    await expect(engine.session.teams()).rejects.toMatchObject({ error: 'session_is_nil' });
    await expect(engine.session.current()).rejects.toMatchObject({ error: 'session_is_nil' });
    await service.call('PUT', `/v1/api_keys/${key.body.id}/active`, { headers });
    expect(await engine.session.current()).toMatchObject({ user: { email: ownerEmail } });
    expect(engine.status()).toMatchObject({ signed_in: true });
    await engine.close();
  });

  test('a refused API key is no session, and the status says why', async () => {
    const engine = await startTestEngine({ dataDir: join(folder.path, 'wrong-key'), serviceUrl: service.url, apiKey: 'ls_wrong' });
    await expect(engine.session.current()).rejects.toMatchObject({ error: 'session_is_nil' });
    expect(engine.status()).toMatchObject({ signed_in: false });
    expect(engine.status().warnings.join(' ')).toContain('API key');
    await engine.close();
  });
});
