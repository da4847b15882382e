import { execFile, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { openUserGuard, type UserGuard } from '#agent-api/peers/user-guard.ts';
import { type RunningAgentApi, startAgentApi } from '#agent-api/server.ts';
import { errorCatalogue } from '#protocol/errors.ts';
import { fakeEngine } from '../support/engine/fake-engine.ts';
import { tempFolder } from '../support/system/temp-folder.ts';

/** Other users of the machine call an agent on loopback: real connections of real users. */

const run = promisify(execFile);
const isLinux = process.platform === 'linux';
/** Another user can be had by root alone. */
const canBeNobody = isLinux && process.getuid?.() === 0;
const asNobody = ['--reuid', '65534', '--regid', '65534', '--clear-groups', '--'];

let folder: Awaited<ReturnType<typeof tempFolder>>;
let api: RunningAgentApi | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
  await folder?.remove();
});

/** Looked for so many times. */
interface Counted {
  looks: number;
  refused: number;
  /** Resolves once so many were refused. */
  until(refused: number): Promise<void>;
}

async function start(host = '127.0.0.1', count?: (guard: UserGuard) => UserGuard, requireToken = false): Promise<RunningAgentApi> {
  folder = await tempFolder();
  api = await startAgentApi({
    engine: fakeEngine(),
    listen: { host, port: 0 },
    requireToken,
    guiDir: null,
    dataDir: folder.path,
    version: '0.1.0',
    log: () => undefined,
    ...(count
      ? {
          openUserGuard: async () => {
            const guard = await openUserGuard();
            return guard && count(guard);
          },
        }
      : {}),
  });
  return api;
}

function counting(): Counted & { count: (guard: UserGuard) => UserGuard } {
  const told = new EventEmitter();
  const counted = {
    looks: 0,
    refused: 0,
    async until(refused: number) {
      while (counted.refused < refused) await once(told, 'refused');
    },
    count: (guard: UserGuard): UserGuard => ({
      check(socket) {
        const looking = guard.check(socket);
        if (!looking) return undefined;
        counted.looks++;
        return looking.catch((error: unknown) => {
          counted.refused++;
          told.emit('refused');
          throw error;
        });
      },
    }),
  };
  return counted;
}

const call = (method: string, path: string, body = ''): string =>
  `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const makeToken = call('POST', '/api/v1/tokens', '{"name":"x","scopes":["all"]}');

/** What another user is answered, who writes this to the agent. */
async function fromNobody(text: string, port: string): Promise<string> {
  const script = 'exec 3<>"/dev/tcp/127.0.0.1/$1"; printf %s "$2" >&3; IFS= read -r -d "" -t 60 all <&3; printf %s "$all"';
  const { stdout } = await run('setpriv', [...asNobody, 'bash', '-c', script, 'bash', port, text]);
  return stdout;
}

describe.runIf(canBeNobody)('another user of the machine (needs root)', () => {
  it('is refused in words, whatever is asked for, and told to come no more on this connection', async () => {
    const { url } = await start();
    const { port } = new URL(url);
    for (const text of [makeToken, call('GET', '/api/v1/login'), call('GET', '/healthz'), call('GET', '/'), call('GET', '/openapi.json')]) {
      const answer = await fromNobody(text, port);
      expect(answer).toMatch(/^HTTP\/1\.1 403 /);
      expect(answer.toLowerCase()).toContain('connection: close');
      const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
      expect(body).toEqual({ code: errorCatalogue.foreign_user.code, message: expect.stringContaining('belongs to another user') });
    }
    expect(await (await fetch(`${url}/api/v1/tokens`)).json()).toEqual([]);
  });

  it('gets nothing done by closing before it is looked for', async () => {
    const seen = counting();
    const { url } = await start('127.0.0.1', seen.count);
    const script = 'for i in {1..40}; do exec 3<>"/dev/tcp/127.0.0.1/$1"; printf %s "$2" >&3; exec 3>&-; done';
    await run('setpriv', [...asNobody, 'bash', '-c', script, 'bash', new URL(url).port, makeToken]);
    await seen.until(40);
    expect(await (await fetch(`${url}/api/v1/tokens`)).json()).toEqual([]);
  });

  it('may call with a token where one is needed, and trades no code of the page', async () => {
    const { url, tokenFile, pageAddress } = await start('127.0.0.1', undefined, true);
    const { port } = new URL(url);
    expect(await fromNobody(`GET /api/v1/tokens HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`, port)).toMatch(
      /^HTTP\/1\.1 401 /,
    );
    const token = readFileSync(tokenFile!, 'utf8').trim();
    const shown = `GET /api/v1/tokens HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    expect(await fromNobody(shown, port)).toMatch(/^HTTP\/1\.1 200 /);
    const code = new URLSearchParams(pageAddress('').split('?')[1]).get('code');
    expect(await fromNobody(call('POST', '/api/v1/page/enter', JSON.stringify({ code })), port)).toMatch(/^HTTP\/1\.1 403 /);
    const own = await fetch(`${url}/api/v1/page/enter`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    expect(own.status).toBe(200);
  });

  it('does not keep those out who may come, however often it knocks', async () => {
    const { url } = await start();
    const script = 'while :; do exec 3<>"/dev/tcp/127.0.0.1/$1"; printf %s "$2" >&3; cat <&3 >/dev/null; done';
    const knocker = spawn('setpriv', [...asNobody, 'bash', '-c', script, 'bash', new URL(url).port, makeToken], { stdio: 'ignore' });
    try {
      for (let i = 0; i < 100; i++) {
        const reply = await fetch(`${url}/healthz`, { headers: { connection: 'close' } });
        expect(reply.status).toBe(200);
      }
    } finally {
      knocker.kill('SIGKILL');
      await once(knocker, 'exit');
    }
  });
});
if (!canBeNobody) it.skip('another user of the machine: only root can be one');

describe.runIf(isLinux)('the agent’s own user', () => {
  it('is looked for once for each connection, not for each request', async () => {
    const seen = counting();
    const { url } = await start('127.0.0.1', seen.count);
    const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1');
    let answers = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      answers += text;
    });
    for (let number = 1; number <= 5; number++) {
      socket.write(call('GET', '/healthz'));
      while (answers.split('HTTP/1.1 200').length - 1 < number) await once(socket, 'data');
    }
    socket.destroy();
    expect(seen).toMatchObject({ looks: 1, refused: 0 });
  });

  it.each(['127.0.0.1', '::ffff:127.0.0.1', '::1', 'localhost'])('calls it at %s', async (host) => {
    const listen = host === '::1' || host === 'localhost' ? host : '127.0.0.1';
    try {
      await start(listen);
    } catch (error) {
      // A machine without IPv6.
      expect(error).toMatchObject({ code: 'EADDRNOTAVAIL' });
      return;
    }
    const status = await new Promise((resolve, reject) => {
      const asked = httpRequest({ host, port: new URL(api!.url).port, path: '/healthz', headers: { host: 'localhost' }, agent: false });
      asked.on('response', (response) => resolve(response.resume().statusCode));
      asked.on('error', (error: NodeJS.ErrnoException) =>
        /ADDRNOTAVAIL|AFNOSUPPORT|NETUNREACH/.test(error.code!) ? resolve(200) : reject(error),
      );
      asked.end();
    });
    expect(status).toBe(200);
    expect(api!.warnings).toEqual([]);
  });
});

it('where the system does not tell whose a connection is, that is said at the start', async () => {
  expect(await openUserGuard(undefined, 'darwin')).toBeNull();
  expect(await openUserGuard({ uidOf: async () => null }, 'linux')).toBeNull();
  expect(await openUserGuard({ uidOf: () => Promise.reject(new Error('no table')) }, 'linux')).toBeNull();
  folder = await tempFolder();
  api = await startAgentApi({
    engine: fakeEngine(),
    listen: { host: '127.0.0.1', port: 0 },
    guiDir: null,
    dataDir: folder.path,
    version: '0.1.0',
    log: () => undefined,
    openUserGuard: async () => null,
  });
  expect(api.warnings).toEqual([expect.stringContaining('every user of this machine')]);
  expect((await fetch(`${api.url}/healthz`)).status).toBe(200);
});
