import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lookAtScanner } from '#service/doctor/scanner.ts';
import { openClamd } from '#service/viruses/clamd.ts';
import { clamdLimits, hasClamd, type RunningClamd, startClamd, testVirus, testVirusName } from '#test/support/service/clamd.ts';

const never = new AbortController().signal;
async function* bytes(...pieces: readonly (string | Uint8Array)[]) {
  for (const piece of pieces) yield Buffer.from(piece as string);
}

describe.skipIf(!hasClamd())('the real clamd', () => {
  let clamd: RunningClamd;
  beforeAll(async () => {
    clamd = await startClamd();
  });
  afterAll(() => clamd?.close());

  it.each(['tcp', 'unix'])('tells what it found, by %s', async (kind) => {
    const scanner = openClamd(kind === 'tcp' ? { host: '127.0.0.1', port: Number(new URL(clamd.url).port) } : { path: clamd.socket });
    expect(await scanner.version(never)).toMatch(/^ClamAV /);
    expect(await scanner.scan(bytes('nothing'), never)).toEqual({ kind: 'clean' });
    expect(await scanner.scan(bytes(), never)).toEqual({ kind: 'clean' });
    const found = { kind: 'infected', virus: testVirusName };
    expect(await scanner.scan(bytes('before ', testVirus, ' after'), never)).toEqual(found);
    expect(await scanner.scan(bytes(testVirus.slice(0, 9), testVirus.slice(9)), never)).toEqual(found);
    // Its own limit of a file.
    expect(await scanner.scan(bytes(Buffer.alloc(clamdLimits.maxFileSize + 1), testVirus), never)).toEqual({ kind: 'too_large' });
  });

  it('is well for longshore admin doctor', async () => {
    expect(await lookAtScanner({ clamdUrl: clamd.url })).toMatchObject([{ about: 'virus scanner', status: 'ok' }]);
  });

  it('hangs, for longshore admin doctor, where it takes connections and says nothing', async () => {
    clamd.hang();
    try {
      expect(await lookAtScanner({ clamdUrl: clamd.url }, 50)).toMatchObject([
        {
          about: 'virus scanner',
          status: 'fail',
          seen: 'The virus scanner said nothing for 0.05 s.',
          action: expect.stringContaining('its log'),
        },
      ]);
    } finally {
      clamd.goOn();
    }
  });

  it('never calls a stream clean that is beyond its limit', async () => {
    // It answers and closes with bytes unread, so that the answer may be lost on its way (RFC 1122, 4.2.2.13).
    const endless = Array.from({ length: 200 }, () => Buffer.alloc(64 * 1024));
    const scanner = openClamd({ host: '127.0.0.1', port: Number(new URL(clamd.url).port) });
    for (let run = 0; run < 5; run += 1) {
      const outcome = await scanner.scan(bytes(...endless), never).catch((error: unknown) => error);
      expect([{ kind: 'too_large' }, expect.objectContaining({ name: 'ScanError', code: 'broken' })]).toContainEqual(outcome);
    }
  });

  it('scans many at once, each with its own verdict', async () => {
    const scanner = openClamd({ path: clamd.socket });
    const verdicts = await Promise.all(Array.from({ length: 30 }, (_, n) => scanner.scan(bytes(`${n} `, n % 3 ? '' : testVirus), never)));
    expect(verdicts.map(({ kind }) => kind)).toEqual(verdicts.map((_, n) => (n % 3 ? 'clean' : 'infected')));
  });

  it('leaves what the bytes themselves throw as it is', async () => {
    const failing = async function* () {
      yield Buffer.alloc(10);
      throw new Error('the disk');
    };
    await expect(openClamd({ path: clamd.socket }).scan(failing(), never)).rejects.toThrow('the disk');
  });

  it('says that it was killed amid a file, and that it is gone', async () => {
    const scanner = openClamd({ path: clamd.socket });
    const killing = async function* () {
      yield Buffer.alloc(10);
      await clamd.kill();
      yield Buffer.alloc(10);
    };
    await expect(scanner.scan(killing(), never)).rejects.toMatchObject({ name: 'ScanError', code: 'broken' });
    await expect(scanner.scan(bytes('x'), never)).rejects.toMatchObject({ code: 'unreachable' });
  });
});

describe('another server in its place', () => {
  const servers: Server[] = [];
  afterAll(() => {
    for (const server of servers) server.close();
  });
  async function serverThat(answers: (send: (text: string) => void) => void) {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.resume();
      answers((text) => socket.write(text));
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  }

  it('is refused where its answer is none, or has no end', async () => {
    const chatty = openClamd(await serverThat((send) => send('220 mail.example.com ESMTP\r\n\0')));
    await expect(chatty.scan(bytes('x'), never)).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('220 mail.example.com'),
    });
    const endless = openClamd(await serverThat((send) => send('x'.repeat(100_000))));
    await expect(endless.scan(bytes('x'), never)).rejects.toMatchObject({ code: 'refused' });
  });

  it('is not waited for without end, and no longer than the caller wants', async () => {
    const silent = await serverThat(() => undefined);
    await expect(openClamd(silent, { idleMilliseconds: 50 }).scan(bytes('x'), never)).rejects.toMatchObject({ code: 'timeout' });
    const stop = new AbortController();
    const scanning = openClamd(silent).scan(bytes('x'), stop.signal);
    stop.abort(new Error('enough'));
    await expect(scanning).rejects.toThrow('enough');
  });
});
