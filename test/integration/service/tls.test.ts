import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import {
  type ClientHttp2Session,
  connect as connectHttp2,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTlsPair, TlsPairError } from '#net/tls-pair.ts';
import { limits } from '#protocol/limits.ts';
import { listen } from '#service/http/listener.ts';
import { startAgentProcess } from '#test/support/engine/agent-process.ts';
import { inAll } from '#test/support/level.ts';
import { linkedPackage, linkTo } from '#test/support/service/download-link.ts';
import { png } from '#test/support/service/images.ts';
import { openLink } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { eventually } from '#test/support/system/processes.ts';
import { hasPrograms } from '#test/support/system/programs.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';
import { type Certificate, makeCertificate } from '#test/support/system/tls-proxy.ts';

const run = promisify(execFile);

describe.skipIf(!hasPrograms('openssl', 'curl'))('TLS without a proxy', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let first: Certificate;
  let service: TestService;
  const usual = getGlobalDispatcher();
  const at = (...names: string[]) => join(folder.path, ...names);
  const use = async (from: string, what: 'cert' | 'key') => {
    await copyFile(at(from, what === 'cert' ? 'leaf.pem' : 'leaf.key'), at(`live.${what}`));
  };

  beforeAll(async () => {
    folder = await tempFolder();
    await Promise.all([mkdir(at('first')), mkdir(at('second'))]);
    [first] = await Promise.all([makeCertificate(at('first')), makeCertificate(at('second'))]);
    await Promise.all([use('first', 'cert'), use('first', 'key')]);
    setGlobalDispatcher(new Agent({ connect: { rejectUnauthorized: false } }));
    service = await startTestService({
      processes: 1,
      storageInProcess: false,
      logLevel: 'silent',
      tls: { cert: at('live.cert'), key: at('live.key'), everyMilliseconds: 20 },
    });
  });
  afterAll(async () => {
    await service?.close();
    await getGlobalDispatcher().destroy();
    setGlobalDispatcher(usual);
    await folder?.remove();
  });

  it('is what API and storage speak, for all who trust the authority and nobody else', async () => {
    for (const url of [`${service.url}/readyz`, `${service.storageUrl}/-/healthz`]) {
      expect(url).toMatch(/^https:/);
      const { stdout } = await run('curl', ['-sS', '--fail', '--cacert', first.authorityFile, url]);
      expect(stdout).toMatch(/"ready"|^ok\n$/);
      await expect(run('curl', ['-sS', url])).rejects.toMatchObject({ stderr: expect.stringContaining('certificate') });
      await expect(run('curl', ['-sS', url.replace('https:', 'http:')])).rejects.toThrow();
    }
    expect((await service.call('GET', '/healthz')).headers.get('strict-transport-security')).toBe('max-age=31536000');
  });

  it(
    'carries a folder there and back, in large parts and small ones',
    inAll('is what API and storage speak, for all who trust the authority; cli-crossing'),
    async () => {
      writeTree(at('dailies'), { 'A001.mov': seededBytes(12_000_000, 1), 'sound/a.wav': seededBytes(40_000, 2), 'sound/none': '' });
      const env = { NODE_EXTRA_CA_CERTS: first.authorityFile };
      const agent = await startAgentProcess({ dataDir: at('agent'), serviceUrl: service.url, apiKey: service.apiKey, env });
      try {
        const asked = { team_id: service.teamId, paths: [at('dailies')], package_name: 'Day 12', recipients: ['post@example.com'] };
        const upload = await agent.post('/uploads', { ...asked, chunk_size: 5 * 1024 * 1024 });
        expect(await agent.when(upload.id, ({ state }) => state === 'complete' || state === 'error')).toMatchObject({ state: 'complete' });
        const { db, urls } = service.service.services;
        const link = await db.selectFrom('links').select(['id', 'secret']).executeTakeFirstOrThrow();
        const url = urls.downloadPage(link.id, link.secret);
        const download = await agent.post('/downloads', { url, dst_folder: at('got'), create_package_folder: false });
        expect(await agent.when(download.id, ({ state }) => state === 'complete' || state === 'error')).toMatchObject({
          state: 'complete',
        });
        expect(readTree(at('got', 'dailies'))).toEqual(readTree(at('dailies')));
      } finally {
        await agent.stop();
      }
    },
  );

  it('speaks HTTP/2 with whoever chooses it: pages, calls, pictures, event streams and zips; the storage does not', async () => {
    for (const [url, versions] of [
      [`${service.url}/docs`, { '--http2': '2', '--http1.1': '1.1' }],
      [`${service.storageUrl}/-/healthz`, { '--http2': '1.1' }],
    ] as const) {
      for (const [flag, version] of Object.entries(versions)) {
        const { stdout } = await run('curl', [
          '-sS',
          '--fail',
          flag,
          '-o',
          '/dev/null',
          '-w',
          '%{http_version}',
          '--cacert',
          first.authorityFile,
          url,
        ]);
        expect(stdout).toBe(version);
      }
    }
    const session = connectHttp2(service.url, { rejectUnauthorized: false });
    try {
      const ask = async (headers: OutgoingHttpHeaders, body?: unknown) => {
        const stream = session.request({ 'content-type': 'application/json', ...headers }, { endStream: body === undefined });
        if (body !== undefined) stream.end(JSON.stringify(body));
        const [answer] = (await once(stream, 'response')) as [IncomingHttpHeaders & IncomingHttpStatusHeader];
        return { stream, answer, text: async () => (await buffer(stream)).toString() };
      };
      const key = { 'x-api-key': service.apiKey };
      const image = await ask(
        { ':method': 'POST', ':path': `/v1/teams/${service.teamId}/images`, ...key },
        { data: png().toString('base64') },
      );
      expect([image.answer[':status'], image.answer['strict-transport-security']]).toEqual([201, 'max-age=31536000']);
      const { url } = JSON.parse(await image.text()) as { url: string };
      const picture = await ask({ ':path': new URL(url).pathname });
      expect([picture.answer[':status'], (await buffer(picture.stream)).subarray(1, 4).toString()]).toEqual([200, 'PNG']);

      const large = seededBytes(700_000, 3);
      const { sender, files } = await linkedPackage(service, { 'a/large.bin': large, 'b.txt': 'small' });
      const events = await ask({ ':path': `/v1/packages/${sender.package.id}/events`, ...sender.token });
      let told = '';
      for await (const piece of events.stream) {
        told += String(piece);
        if (told.includes('"state":"finalized"')) break;
      }
      expect(told).toContain('"state":"finalized"');
      events.stream.close();
      const link = await linkTo(service, sender);
      const opened = await openLink(service, link.link);
      const token = { 'x-package-token': opened.body.package_token };
      const zip = [...files.values()].find(({ name }) => name.endsWith('.zip'))!;
      const asked = await ask({ ':path': `/v1/packages/${sender.package.id}/files/${zip.id}/download`, ...token });
      const { url: at } = JSON.parse(await asked.text()) as { url: string };
      const { pathname, search } = new URL(at);
      const whole = await ask({ ':path': pathname + search });
      expect(whole.answer[':status']).toBe(200);
      const bytes = await buffer(whole.stream);
      expect(String(bytes.length)).toBe(whole.answer['content-length']);
      expect(bytes.includes(large)).toBe(true);
      const part = await ask({ ':path': pathname + search, range: 'bytes=10-19' });
      expect([part.answer[':status'], (await buffer(part.stream)).equals(bytes.subarray(10, 20))]).toEqual([206, true]);

      const tooLarge = await ask({ ':method': 'POST', ':path': '/v1/auth' }, { email: 'x'.repeat(limits.bodyBytes) });
      expect(tooLarge.answer[':status']).toBe(413);
      expect(JSON.parse(await tooLarge.text())).toMatchObject({ message: expect.stringMatching(/large|MiB|bytes/) });
      expect((await ask({ ':path': '/nowhere' })).answer[':status']).toBe(404);
    } finally {
      session.destroy();
    }
  });

  it('keeps so many answers that one address does not read, refuses it more, and answers others', async () => {
    const open = (localAddress: string) => {
      const { port } = new URL(service.url);
      const tcp = connectSocket({ port: Number(port), host: '127.0.0.1', localAddress });
      const socket = connect({ socket: tcp, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
      const session = connectHttp2(service.url, { createConnection: () => socket, settings: { initialWindowSize: 0 } });
      session.on('error', () => undefined);
      return session;
    };
    const statusOf = async (session: ClientHttp2Session) => {
      const stream = session.request({ ':path': '/openapi.json' });
      stream.on('error', () => undefined);
      const [answer] = (await once(stream, 'response')) as [IncomingHttpStatusHeader];
      return answer[':status'];
    };
    const sessions = Array.from({ length: 3 }, () => open('127.0.0.2'));
    const other = open('127.0.0.1');
    try {
      const statuses = await Promise.all(sessions.flatMap((session) => Array.from({ length: 100 }, () => statusOf(session))));
      expect(new Set(statuses)).toEqual(new Set([200, 429]));
      expect(await statusOf(other)).toBe(200);
    } finally {
      for (const session of [...sessions, other]) session.destroy();
    }
  });

  it('has a new pair for new connections while open ones go on, and keeps the last one that works', async () => {
    const urls = [service.url, service.storageUrl];
    const open = await Promise.all(urls.map(connected));
    const before = open.map(fingerprint);
    await use('second', 'key');
    // A key without its certificate, as in the middle of a renewal.
    await eventually('the pair is told to be broken', async () => {
      const { body } = await service.call('GET', '/healthz');
      return JSON.stringify(body).includes('the key does not belong to the certificate');
    });
    expect(await Promise.all(urls.map(shown))).toEqual(before);
    await use('second', 'cert');
    await eventually('both ports show the new certificate', async () => {
      const now = await Promise.all(urls.map(shown));
      return now.every((one) => !before.includes(one));
    });
    // It is good for two days.
    expect((await service.call('GET', '/healthz')).body).toMatchObject({ status: 'degraded', problems: [{ error: 'certificate_ends' }] });
    for (const socket of open) {
      socket.write('GET /-/healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n');
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 (200|404) /);
      socket.destroy();
    }
  });

  it('is not waited for at the end: a connection that says nothing is closed', async () => {
    const listener = await listen(
      { host: '127.0.0.1', port: 0 },
      { tls: readTlsPair({ cert: at('first/leaf.pem'), key: at('first/leaf.key') }) },
    );
    const accepted = once(listener.server, 'connection');
    const mute = connectSocket(listener.port, '127.0.0.1');
    await accepted;
    const closed = once(mute.resume(), 'close');
    await listener.close(3_600_000);
    await closed;
  });

  it('refuses pairs that no server can use, by a sentence', async () => {
    await writeFile(at('none'), 'nothing');
    const cert = at('first/leaf.pem');
    const key = at('first/leaf.key');
    for (const [files, file, message] of [
      [{ cert: at('absent'), key }, 'cert', 'the file of the certificate cannot be read'],
      [{ cert: at('none'), key }, 'cert', 'there is no certificate in PEM in its file'],
      [{ cert, key: at('none') }, 'key', 'there is no unencrypted private key in PEM in its file'],
      [{ cert, key: at('second/leaf.key') }, 'key', 'the key does not belong to the certificate'],
    ] as const) {
      expect(() => readTlsPair(files)).toThrow(expect.objectContaining({ name: TlsPairError.name, file, message }));
    }
    const started = startTestService({ tls: { cert, key: at('second/leaf.key') } });
    await expect(started).rejects.toMatchObject({ code: 'option_invalid', message: expect.stringContaining('--tls-key') });
  });
});

async function connected(url: string): Promise<TLSSocket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  return socket;
}

const fingerprint = (socket: TLSSocket): string => socket.getPeerCertificate().fingerprint256;

async function shown(url: string): Promise<string> {
  const socket = await connected(url);
  const found = fingerprint(socket);
  socket.destroy();
  return found;
}
