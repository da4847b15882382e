import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentProcess, startAgentProcess } from '#test/support/engine/agent-process.ts';
import { longshore } from '#test/support/engine/command-line.ts';
import { firstOf } from '#test/support/level.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { hasPrograms } from '#test/support/system/programs.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';
import { type Certificate, makeCertificate, startTlsProxy, type TlsProxy } from '#test/support/system/tls-proxy.ts';

/** As in the field: TLS in front of API and storage, by an authority that only this company trusts. */
describe.skipIf(!hasPrograms('openssl'))('an agent, over TLS', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let certificate: Certificate;
  let api: TlsProxy;
  let storage: TlsProxy;
  let service: TestService;
  const at = (...names: string[]) => join(folder.path, ...names);

  beforeAll(async () => {
    folder = await tempFolder();
    await mkdir(at('tls'));
    certificate = await makeCertificate(at('tls'));
    [api, storage] = [await startTlsProxy(certificate), await startTlsProxy(certificate)];
    service = await startTestService({ publicUrl: api.url, storagePublicUrl: storage.url });
    [api.upstream, storage.upstream] = [service.url, service.storageUrl];
    writeTree(at('dailies'), { 'A001.mov': seededBytes(12_000_000, 1), 'sound/a.wav': seededBytes(40_000, 2), 'sound/none': '' });
    await writeFile(at('key'), service.apiKey);
  });
  afterAll(async () => {
    await service?.close();
    await api?.close();
    await storage?.close();
    await folder?.remove();
  });

  it('sends and gets a folder, every byte of it inside TLS', async () => {
    const env = { NODE_EXTRA_CA_CERTS: certificate.authorityFile };
    const agent: AgentProcess = await startAgentProcess({ dataDir: at('agent'), serviceUrl: api.url, apiKey: service.apiKey, env });
    try {
      const upload = await agent.post('/uploads', {
        team_id: service.teamId,
        paths: [at('dailies')],
        package_name: 'Day 12',
        recipients: ['post@example.com'],
        chunk_size: 5 * 1024 * 1024,
      });
      const sent = await agent.when(upload.id, ({ state }) => state === 'complete' || state === 'error');
      expect(sent).toMatchObject({ state: 'complete' });
      expect(api.connections()).toBeGreaterThan(0);
      expect(storage.connections()).toBeGreaterThan(0);

      const { db, urls } = service.service.services;
      const link = await db.selectFrom('links').select(['id', 'secret']).executeTakeFirstOrThrow();
      const url = urls.downloadPage(link.id, link.secret);
      expect(url).toMatch(/^https:/);
      const download = await agent.post('/downloads', { url, dst_folder: at('got'), create_package_folder: false });
      const got = await agent.when(download.id, ({ state }) => state === 'complete' || state === 'error');
      expect(got).toMatchObject({ state: 'complete' });
      expect(readTree(at('got'))).toEqual({ ...prefixed('dailies', readTree(at('dailies'))) });
    } finally {
      await agent.stop();
    }
  });

  it.each(
    firstOf([
      [
        'send',
        () => ['send', at('dailies'), '--no-agent', '--service-url', api.url, '--api-key-file', at('key'), '--data-dir', at('other')],
      ],
      ['ls', () => ['ls', `${api.url}/d/an-id?secret=whatever`]],
    ]),
  )('%s says what is wrong with a certificate that is not trusted, and what to do', async (_, args) => {
    const before = api.connections();
    const run = longshore(args());
    expect(await run.ended).not.toBe(0);
    expect(run.stderr()).toContain(
      `The service at ${api.url} cannot be reached: its certificate is not trusted on this machine. Name the file with the certificate of its authority in the environment, as NODE_EXTRA_CA_CERTS, and start again.`,
    );
    expect(run.stderr()).not.toContain(service.apiKey);
    // Nothing, and no key, was shown to somebody who could not prove who they are.
    expect(api.connections()).toBe(before);
  });
});

const prefixed = <T>(name: string, tree: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(tree).map(([path, content]) => [`${name}/${path}`, content]));
