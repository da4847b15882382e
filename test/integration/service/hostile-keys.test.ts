import { writeFileSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { File } from '#protocol/hosted/files.ts';
import type { CloudTransfer } from '#protocol/hosted/transfers.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { linkTo } from '#test/support/service/download-link.ts';
import { newSender, openLink, type Sender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { putConnection, readTransfer } from '#test/support/service/transfers.ts';
import { borrowRgw, hasRgw, type RunningRgw } from '#test/support/storage/rgw.ts';
import { readTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';
import { hasUnzippers, unpack, unzippers } from '#test/support/system/unzip-programs.ts';

/** Keys of a bucket that somebody made to get out of a folder, on their way through all that we have. */
const keys = [
  'C:\\Windows\\win.ini',
  '\\..\\..\\up.txt',
  'CON.txt',
  'a line\nX-Evil: 1\r\n.txt',
  '\u001b[31mred\u001b]0;title\u0007.txt',
  "=cmd|' /C calc'!A0.csv",
  '<img src=x onerror=alert(1)>.txt',
  'A.txt',
  'a.txt',
  'caf\u00e9.txt',
  'cafe\u0301.txt',
  '\u202egnp.exe',
  '%2e%2e%2fup.txt',
  '%00.txt',
  ' lead.txt',
  'trail.',
  'trail ',
  '-rf',
  '~',
  '.ssh/authorized_keys',
  '"quoted".txt',
  '$(id);`id`.txt',
  '@file',
];
/** A folder each: no part of ours can ask the storage for it, or no package can hold it. */
const refused = ['../up.txt', 'in/../../up.txt', './here.txt', '\u001b[31m/../up.txt', 'a\u202eb\u2028/./x', `${'x'.repeat(300)}.txt`];

describe.skipIf(!hasRgw() || !hasUnzippers())('keys of a bucket that lead out of a folder', () => {
  let t: TestService;
  let rgw: RunningRgw;
  let client: S3Client;
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let connection: string;

  beforeAll(async () => {
    folder = await tempFolder();
    [t, rgw] = await Promise.all([startTestService({ allowPrivateConnections: true }), borrowRgw()]);
    const user = await rgw.newUser();
    const { name } = await rgw.newBucket(user);
    const credentials = { accessKeyId: user.accessKeyId, secretAccessKey: user.secretAccessKey };
    client = new S3Client({ endpoint: rgw.endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
    const put = (Key: string) => client.send(new PutObjectCommand({ Bucket: name, Key, Body: Buffer.from(Key) }));
    for (const key of keys) await put(`good/${key}`);
    for (const [index, key] of refused.entries()) await put(`bad ${index}/${key}`);
    const authorization = { client_id: user.accessKeyId, client_secret: user.secretAccessKey, destination: name };
    connection = await putConnection(
      t,
      { provider: 'generic_s3', direction: 'cloud_to_service' },
      { ...authorization, endpoint: rgw.endpoint, region: 'default', force_s3_path_style: 'true' },
    );
  });
  afterAll(async () => {
    client?.destroy();
    await t?.close();
    await rgw?.close();
    await folder?.remove();
  });

  async function imported(sender: Sender, id: string): Promise<CloudTransfer> {
    const body = { cloud_connection_id: connection, files: [{ id, name: id, kind: 'directory' }] };
    const made = await t.call<CloudTransfer>('POST', `/v1/packages/${sender.package.id}/transfer`, { headers: sender.token, body });
    expect(made.status).toBe(201);
    return await vi.waitFor(
      async () => {
        const now = await readTransfer(t, made.body);
        expect(now.state).toMatch(/^(?:complete|error)$/);
        return now;
      },
      { timeout: 60_000, interval: 100 },
    );
  }

  it('are refused where they cannot be fetched, in words that command no terminal', async () => {
    for (const index of refused.keys()) {
      const sender = await newSender(t);
      const { state, error, state_message } = await imported(sender, `bad ${index}`);
      expect(state).toBe('error');
      expect(`${error}${state_message}`).not.toMatch(/\p{Cc}|\p{Bidi_Control}/u);
    }
  });

  it('stay inside of every folder: of a package, of a zip by three programs, and of an agent', async () => {
    const sender = await newSender(t);
    const done = await imported(sender, 'good');
    expect(done.state, done.error).toBe('complete');
    expect((await sender.finalize()).status).toBe(204);
    const { link } = await linkTo(t, sender);
    const { body: info } = await openLink(t, link);
    const headers = { 'x-package-token': info.package_token };
    const { body: files } = await t.call<File[]>('GET', `/v1/packages/${sender.package.id}/files`, { headers });
    const paths = files.filter(({ kind }) => kind === 'file').map(({ path, name }) => `${path}/${name}`);
    expect(paths).toHaveLength(keys.length);
    for (const path of paths) expect(path).not.toMatch(/\p{Cc}|\p{Bidi_Control}|[\\<>"|?*:]|(?:^|\/)\.\.?(?:\/|$)/u);

    const { id } = files.find(({ kind }) => kind.includes('zip'))!;
    const { body: address } = await t.call<{ url: string }>('GET', `/v1/packages/${sender.package.id}/files/${id}/download`, { headers });
    const zip = join(folder.path, 'all.zip');
    writeFileSync(zip, Buffer.from(await (await fetch(address.url)).arrayBuffer()));
    // Beside a twin that differs by its case or its accents' form alone, which other disks would take for the same.
    const twins: Readonly<Record<string, string>> = { 'good/a.txt': 'good/a (2).txt', 'good/caf\u00e9.txt': 'good/caf\u00e9 (2).txt' };
    const unpacked = paths.map((path) => twins[path] ?? path.normalize('NFC')).toSorted();
    for (const program of unzippers) {
      const target = join(folder.path, program, 'in');
      await mkdir(target, { recursive: true });
      await unpack(program, zip, target);
      expect(Object.keys(readTree(target)).toSorted(), program).toEqual(unpacked);
      expect(await readdir(join(folder.path, program)), program).toEqual(['in']);
    }

    const engine = await startTestEngine({ dataDir: join(folder.path, 'agent'), serviceUrl: t.url, apiKey: t.apiKey });
    try {
      const target = join(folder.path, 'got', 'in');
      await mkdir(target, { recursive: true });
      const { id: transfer } = await engine.transfers.download({ url: link.url, dst_folder: target, create_package_folder: false });
      const ended = await transferWhen(engine, transfer);
      expect(ended.state).toBe('complete');
      expect(Object.keys(readTree(target)).toSorted()).toEqual(paths.toSorted());
      expect(await readdir(join(folder.path, 'got'))).toEqual(['in']);
    } finally {
      await engine.close();
    }
  });
});
