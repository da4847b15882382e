import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '#main/start/ports.ts';
import { compares } from '#protocol/storage/requests.ts';
import { type AgentProcess, startAgentProcess } from '#test/support/engine/agent-process.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { startTestStorage } from '#test/support/storage/local-storage.ts';
import { hasNginx, type RunningNginx, startNginx } from '#test/support/storage/nginx.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { hasPrograms } from '#test/support/system/programs.ts';
import { type TempFolder, tempFolder } from '#test/support/system/temp-folder.ts';
import { type Certificate, makeCertificate } from '#test/support/system/tls-proxy.ts';

/** As an operator runs it: TLS ends at nginx, which sends downloads from the disk. */
describe.skipIf(!hasNginx() || !hasPrograms('openssl'))('an agent, and nginx before the storage', () => {
  let folder: TempFolder;
  let certificate: Certificate;
  let nginx: RunningNginx;
  let service: TestService;
  const at = (...names: string[]) => join(folder.path, ...names);

  beforeAll(async () => {
    folder = await tempFolder();
    await mkdir(at('tls'));
    certificate = await makeCertificate(at('tls'));
    const [port, storagePort] = [await freePort(0), await freePort(0)];
    service = await startTestService({
      processes: 1,
      storageListen: { host: '127.0.0.1', port: storagePort },
      storagePublicUrl: `https://127.0.0.1:${port}`,
      storageAccel: 'nginx',
      trustProxy: 'loopback',
    });
    const tls = { cert: at('tls', 'leaf.pem'), key: at('tls', 'leaf.key') };
    nginx = await startNginx({ port, storagePort, objects: join(service.dataDir, 'objects', 'objects'), tls });
    writeTree(at('dailies'), { 'A001.mov': seededBytes(12_000_000, 1), 'sound/a.wav': seededBytes(40_000, 2), 'sound/none': '' });
  });
  afterAll(async () => {
    await nginx?.close();
    await service?.close();
    await folder?.remove();
  });

  it('send and get a folder: every large file comes from the disk, a part at a time', async () => {
    const env = { NODE_EXTRA_CA_CERTS: certificate.authorityFile };
    const agent: AgentProcess = await startAgentProcess({ dataDir: at('agent'), serviceUrl: service.url, apiKey: service.apiKey, env });
    try {
      const upload = await agent.post('/uploads', {
        team_id: service.teamId,
        paths: [at('dailies')],
        package_name: 'Day 12',
        recipients: ['post@example.com'],
        chunk_size: 5 * 1024 * 1024,
      });
      expect(await agent.when(upload.id, ({ state }) => state === 'complete' || state === 'error')).toMatchObject({ state: 'complete' });
      const { db, urls } = service.service.services;
      const link = await db.selectFrom('links').select(['id', 'secret']).executeTakeFirstOrThrow();
      const url = urls.downloadPage(link.id, link.secret);
      const download = await agent.post('/downloads', { url, dst_folder: at('got'), create_package_folder: false });
      expect(await agent.when(download.id, ({ state }) => state === 'complete' || state === 'error')).toMatchObject({ state: 'complete' });
      const sent = Object.entries(readTree(at('dailies'))).map(([path, content]) => [`dailies/${path}`, content]);
      expect(readTree(at('got'))).toEqual(Object.fromEntries(sent));
    } finally {
      await agent.stop();
    }
    const lines = (await nginx.log('longshore-storage.log')).trimEnd().split('\n');
    const got = lines.map((line) => JSON.parse(line)).filter(({ method, status }) => method === 'GET' && status === 206);
    // Three parts of the large file. The small one is packed with others, so the storage itself sends it.
    const fromDisk = got.map(({ from_disk }) => from_disk).filter((path) => path !== '');
    expect(new Set(fromDisk).size).toBeGreaterThanOrEqual(3);
    for (const path of fromDisk) expect(path).toMatch(/^\/-\/accel\/part\//);
    expect(got.length - fromDisk.length).toBeLessThanOrEqual(1);
    expect(lines.join()).not.toContain('signature');
  });
});

describe.skipIf(!hasNginx())('nginx, when the storage stops', () => {
  it('sends to its end what it has begun, and goes on when the storage is back', async () => {
    const folder = await tempFolder();
    const [port, storagePort] = [await freePort(0), await freePort(0)];
    const start = () =>
      startTestStorage({
        root: folder.path,
        publicUrl: `http://127.0.0.1:${port}`,
        listen: { host: '127.0.0.1', port: storagePort },
        accel: 'nginx',
      });
    const first = await start();
    const nginx = await startNginx({ port, storagePort, objects: join(folder.path, 'objects') });
    try {
      const bytes = seededBytes(40_000_000, 3);
      await first.storage.write('package/large', bytes);
      const { url } = await first.storage.presignRead('package/large', { expiresAt: new Date(Date.now() + 3_600_000), fileName: 'a.mov' });
      // More than the kernel's buffers hold is on the disk when the storage goes.
      const begun = await fetch(url, { headers: compares });
      await first.close(0);
      expect(Buffer.from(await begun.arrayBuffer()).equals(bytes)).toBe(true);
      const away = await fetch(url);
      expect(away.status).toBe(502);
      await away.arrayBuffer();
      const second = await start();
      const back = await fetch(url, { headers: { range: 'bytes=39999990-' } });
      expect(back.status).toBe(206);
      expect(Buffer.from(await back.arrayBuffer()).equals(bytes.subarray(39_999_990))).toBe(true);
      await second.close();
    } finally {
      await nginx.close();
      await folder.remove();
    }
  });
});
