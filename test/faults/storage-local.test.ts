import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { isFast } from '#filesystem/fast.ts';
import { StorageError } from '#storage/errors.ts';
import { startLocalStorage } from '#storage/local/server.ts';
import type { StoredObject } from '#storage/ports.ts';
import { begin, failureOf, put, send } from '#test/support/storage/conformance.ts';
import { startTestStorage, type TestStorage } from '#test/support/storage/local-storage.ts';
import { type BegunUpload, sendTogether } from '#test/support/storage/packed.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const key = 'package/file';
const inAnHour = (): Date => new Date(Date.now() + 3_600_000);
const secret = Buffer.alloc(32, 7);
const listen = { host: '127.0.0.1', port: 0 } as const;

/** Tries until it holds; the machine may be busy. */
const until = <T>(check: () => Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 30_000, interval: 30 });

/** All files below a folder, by path. */
async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function partUrl(running: Pick<TestStorage, 'storage'>, uploadId: string, partNumber: number, size: number): Promise<string> {
  const [blueprint] = await running.storage.presignParts(key, uploadId, [{ partNumber, size, maxSize: size }], inAnHour());
  return blueprint!.url;
}

/** Sends the head and some bytes of a part, and leaves the connection open. */
async function sendSome(url: string, size: number, bytes: Buffer) {
  const { hostname, port, pathname, search } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: ${size}\r\n\r\n`);
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
  return socket;
}

describe('a sender that', () => {
  for (const [what, size, sent] of [
    ['small', 500_000, 1_000],
    ['large', 20_000_000, 9_000_000],
  ] as const) {
    test(`is cut off in a ${what} part leaves nothing, and may send it again`, async () => {
      const running = await startTestStorage();
      const uploadId = await begin(running.storage, key);
      const socket = await sendSome(await partUrl(running, uploadId, 1, size), size, randomBytes(sent));
      if (what === 'large') await until(async () => expect(await filesIn(join(running.root, 'uploads'))).toHaveLength(1));
      socket.destroy();
      await until(async () => expect(await filesIn(join(running.root, 'uploads'))).toEqual([]));
      expect(await running.storage.listParts(key, uploadId)).toEqual([]);
      await put(running.storage, key, uploadId, 1, randomBytes(size));
      expect(await running.storage.listParts(key, uploadId)).toMatchObject([{ size }]);
      await running.close();
    });
  }

  test('falls silent is cut off after the idle time', async () => {
    const running = await startTestStorage({ idleMilliseconds: 200 });
    const uploadId = await begin(running.storage, key);
    const socket = await sendSome(await partUrl(running, uploadId, 1, 5_000_000), 5_000_000, randomBytes(2_000_000));
    await once(socket, 'close');
    await until(async () => expect(await filesIn(join(running.root, 'uploads'))).toEqual([]));
    await running.close();
  });

  test('is refused gets the answer though it is still sending', async () => {
    const running = await startTestStorage();
    const uploadId = await begin(running.storage, key);
    await running.storage.abort(key);
    const size = 30_000_000;
    const answer = await send({ url: await partUrl(running, uploadId, 1, size), method: 'PUT', headers: {}, body: '' }, randomBytes(size));
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain('NoSuchUpload');
    await running.close();
  });

  test('asks first is told no before it sends', async () => {
    const running = await startTestStorage();
    const uploadId = await begin(running.storage, key);
    const url = (await partUrl(running, uploadId, 1, 10)).replace('size=10', 'size=11');
    const asking = request(url, { method: 'PUT', headers: { Expect: '100-continue', 'Content-Length': 11 } });
    let told = false;
    asking.on('continue', () => {
      told = true;
    });
    asking.flushHeaders();
    const [answer] = (await once(asking, 'response')) as [{ statusCode: number; resume(): void }];
    answer.resume();
    expect([answer.statusCode, told]).toEqual([403, false]);
    asking.destroy();
    await running.close();
  });

  test('does not say how much it sends is refused', async () => {
    const running = await startTestStorage();
    const uploadId = await begin(running.storage, key);
    const asking = request(await partUrl(running, uploadId, 1, 3), { method: 'PUT', headers: { 'Transfer-Encoding': 'chunked' } });
    asking.end('abc');
    const [answer] = (await once(asking, 'response')) as [{ statusCode: number; resume(): void }];
    answer.resume();
    expect(answer.statusCode).toBe(411);
    await running.close();
  });

  test('sends nothing holds no memory that others need', async () => {
    const running = await startTestStorage({ memory: 16 * 1024 * 1024 });
    const uploadId = await begin(running.storage, key);
    const open = [];
    for (let partNumber = 1; partNumber <= 40; partNumber++) {
      const size = partNumber % 2 === 0 ? 4_000_000 : 200_000;
      open.push(await sendSome(await partUrl(running, uploadId, partNumber, size), size, randomBytes(1)));
    }
    await until(async () => expect((await filesIn(join(running.root, 'uploads'))).length).toBeGreaterThanOrEqual(20));
    for (const size of [300_000, 4_000_000]) {
      const part = { url: await partUrl(running, uploadId, 41, size), method: 'PUT', headers: {}, body: '' } as const;
      expect((await send(part, randomBytes(size))).status).toBe(200);
    }
    for (const socket of open) socket.destroy();
    await running.close();
  });

  // From the bare socket alone: a part has its buffer and its file before its bytes come.
  test.skipIf(!isFast)('brings more at once than there is memory for is told to come back, or waits', async () => {
    const running = await startTestStorage({ memory: 600_000 });
    const uploadId = await begin(running.storage, key);
    // What an upload may have of it is used up by one who is not slow yet.
    const first = await sendSome(await partUrl(running, uploadId, 1, 900_000), 900_000, randomBytes(100));
    await until(async () => expect((await filesIn(join(running.root, 'uploads'))).length).toBe(1));
    const small = {
      url: await partUrl(running, uploadId, 2, 200_000),
      method: 'PUT',
      headers: { Origin: 'https://a.example' },
      body: '',
    } as const;
    const answer = await send(small, randomBytes(200_000));
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    const large = { url: await partUrl(running, uploadId, 3, 5_000_000), method: 'PUT', headers: {}, body: '' } as const;
    expect((await send(large, randomBytes(5_000_000))).status).toBe(200);
    first.destroy();
    await running.close();
  });
});

describe('one file', () => {
  test('has three uploads at most, however often one is begun: those that were not changed for longest end', async () => {
    const running = await startTestStorage();
    const bytes = randomBytes(1_000);
    const begun = [];
    for (let n = 0; n < 6; n++) begun.push(await begin(running.storage, key));
    const another = await begin(running.storage, 'package/other');
    expect(await readdir(join(running.root, 'uploads'), { recursive: true })).toHaveLength(256 + 4);
    const kept = begun.slice(3);
    for (const uploadId of [...kept, another])
      expect(await running.storage.listParts(uploadId === another ? 'package/other' : key, uploadId)).toEqual([]);
    // What it is sent by counts as changed.
    await put(running.storage, key, kept[0]!, 1, bytes);
    const last = await begin(running.storage, key);
    expect(await failureOf(running.storage.listParts(key, kept[1]!))).toBe('no_such_upload');
    const late = { url: await partUrl(running, kept[1]!, 1, 1_000), method: 'PUT', headers: {}, body: '' } as const;
    expect((await send(late, bytes)).status).toBe(404);
    for (const uploadId of [kept[0]!, kept[2]!, last]) await running.storage.listParts(key, uploadId);
    await running.storage.complete(key, kept[0]!, await running.storage.listParts(key, kept[0]!));
    await running.close();
  });

  for (const [what, size, sent] of [
    ['small', 500_000, 400_000],
    ['large', 9_000_000, 5_000_000],
  ] as const) {
    test(`has three senders of a ${what} part at most: one more cuts the one that began first`, async () => {
      const running = await startTestStorage();
      const uploadId = await begin(running.storage, key);
      const url = await partUrl(running, uploadId, 1, size);
      const open = [];
      const closed: number[] = [];
      for (let n = 0; n < 5; n++) {
        const socket = await sendSome(url, size, randomBytes(sent));
        socket.on('error', () => undefined).on('close', () => closed.push(n));
        open.push(socket);
        await until(async () => expect(closed).toHaveLength(Math.max(0, n - 2)));
      }
      expect(closed).toEqual([0, 1]);
      await until(async () => expect((await filesIn(join(running.root, 'uploads'))).length).toBeLessThanOrEqual(3));
      // Whoever comes is taken.
      await put(running.storage, key, uploadId, 1, randomBytes(size));
      expect(await running.storage.listParts(key, uploadId)).toMatchObject([{ size }]);
      expect(closed).toEqual([0, 1, 2]);
      for (const socket of open) socket.destroy();
      await running.close();
    });
  }
});

describe('closing', () => {
  test('lets a part under way arrive', async () => {
    const running = await startTestStorage();
    const uploadId = await begin(running.storage, key);
    const size = 3_000_000;
    const bytes = randomBytes(size);
    const socket = await sendSome(await partUrl(running, uploadId, 1, size), size, bytes.subarray(0, 2_000_000));
    await until(async () => expect(await filesIn(join(running.root, 'uploads'))).toHaveLength(1));
    const answered = once(socket, 'data') as Promise<[Buffer]>;
    const closing = running.close(600_000);
    socket.write(bytes.subarray(2_000_000));
    expect(String((await answered)[0])).toContain('200 OK');
    // The connection could be kept for more; closing ends it rather than waiting for the sender to.
    await Promise.all([once(socket, 'close'), closing]);
  });

  test('does not wait for ever', async () => {
    const running = await startTestStorage({ inProcess: undefined });
    const uploadId = await begin(running.storage, key);
    const socket = await sendSome(await partUrl(running, uploadId, 1, 3_000_000), 3_000_000, randomBytes(10));
    socket.on('error', () => {});
    await running.close(50);
    socket.destroy();
  });
});

describe('starting', () => {
  test('on a taken port says so', async () => {
    const running = await startTestStorage();
    const port = Number(new URL(running.url).port);
    for (const inProcess of [{}, undefined]) {
      await using folder = await ownFolder();
      const second = startLocalStorage({ root: folder.path, secret, listen: { host: '127.0.0.1', port }, ...(inProcess && { inProcess }) });
      await expect(second).rejects.toThrow(`Port ${port} of 127.0.0.1 is taken by another program`);
      expect(await failureOf(second)).toBe('cannot_listen');
    }
    await running.close();
  });

  test('with a short secret is refused', async () => {
    await using folder = await ownFolder();
    const weak = startLocalStorage({ root: folder.path, secret: Buffer.from('short'), listen });
    expect(await failureOf(weak)).toBe('storage_misconfigured');
  });

  test('where a file stands in the way says so', async () => {
    await using folder = await ownFolder();
    const blocked = startLocalStorage({ root: fileURLToPath(import.meta.url), secret, listen });
    await expect(blocked).rejects.toBeInstanceOf(StorageError);
    expect(await readdir(folder.path)).toEqual([]);
  });
});

async function ownFolder() {
  const { path, remove } = await tempFolder();
  return { path, [Symbol.asyncDispose]: remove };
}

/** Mounting needs root, and a system that lets it. */
const canMount = await (async () => {
  await using folder = await ownFolder();
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder.path], { stdio: 'ignore' }).status === 0;
  if (mounted) spawnSync('umount', [folder.path], { stdio: 'ignore' });
  return mounted;
})();

describe.skipIf(!canMount)(`a disk of its own${canMount ? '' : ' (left out: this user may not mount one)'}`, () => {
  async function onDisk(size: string, work: (running: TestStorage, remount: (options: string) => void) => Promise<void>): Promise<void> {
    await using folder = await ownFolder();
    const mount = (...args: string[]): void => {
      expect(spawnSync('mount', [...args, folder.path]).status).toBe(0);
    };
    mount('-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs');
    try {
      const troubles: Error[] = [];
      const running = await startTestStorage({ root: folder.path, onTrouble: (error) => troubles.push(error) });
      await work(running, (options) => mount('-o', `remount,${options}`));
      await running.close();
      expect(troubles.length).toBeGreaterThan(0);
    } finally {
      spawnSync('umount', ['-l', folder.path]);
    }
  }

  test('that is full refuses with 507, leaves no debris and goes on once there is room', async () => {
    await onDisk('12m', async (running, remount) => {
      const { storage, root } = running;
      const uploadId = await begin(storage, key);
      const bytes = randomBytes(4_000_000);
      await put(storage, key, uploadId, 1, bytes);
      // A page's part is received in another way than a program's.
      for (const [size, headers] of [
        [20_000_000, {}],
        [9_000_000, {}],
        [9_000_000, { origin: 'https://page.example' }],
      ] as const) {
        const answer = await send({ url: await partUrl(running, uploadId, 2, size), method: 'PUT', headers, body: '' }, randomBytes(size));
        expect(answer.status).toBe(507);
        expect(await answer.text()).toContain('The storage is full');
        await until(async () => expect(await filesIn(join(root, 'uploads'))).toHaveLength(1));
      }
      expect(await failureOf(storage.write('package/other', randomBytes(12_000_000)))).toBe('storage_full');
      expect(await filesIn(join(root, 'trash'))).toEqual([]);
      remount('size=40m');
      await put(storage, key, uploadId, 2, randomBytes(9_000_000));
      expect((await storage.complete(key, uploadId, await storage.listParts(key, uploadId))).size).toBe(13_000_000);
    });
  });

  test('that is full refuses a small part too', async () => {
    await onDisk('3m', async (running, remount) => {
      const { storage, root } = running;
      const uploadId = await begin(storage, key);
      const sizes: number[] = [];
      for (let partNumber = 1; ; partNumber += 1) {
        const answer = await send(
          { url: await partUrl(running, uploadId, partNumber, 300_000), method: 'PUT', headers: {}, body: '' },
          randomBytes(300_000),
        );
        if (answer.status === 507) break;
        expect(answer.status).toBe(200);
        sizes.push(300_000);
      }
      expect(await filesIn(join(root, 'uploads'))).toHaveLength(sizes.length);
      remount('size=9m');
      expect((await storage.complete(key, uploadId, await storage.listParts(key, uploadId))).size).toBe(sizes.length * 300_000);
    });
  });

  test('that turns read-only refuses with 503 and a time to come back, and still serves', async () => {
    await onDisk('20m', async (running, remount) => {
      const { storage } = running;
      await storage.write('package/there', Buffer.from('still here'));
      const uploadId = await begin(storage, key);
      remount('ro');
      const answer = await send(
        { url: await partUrl(running, uploadId, 1, 5), method: 'PUT', headers: {}, body: '' },
        Buffer.from('12345'),
      );
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30']);
      expect((await send(await storage.presignCreate(key, inAnHour()))).status).toBe(503);
      expect(await failureOf(storage.write('package/other', Buffer.from('x')))).toBe('storage_read_only');
      expect(await failureOf(storage.delete('package/there'))).toBe('storage_read_only');
      const { url } = await storage.presignRead('package/there', { expiresAt: inAnHour(), fileName: 'a' });
      expect(await (await fetch(url)).text()).toBe('still here');
      remount('rw');
      await put(storage, key, uploadId, 1, Buffer.from('12345'));
    });
  });
});

describe('a process killed in the middle of a part', () => {
  test('leaves what was confirmed, and nothing half after the next start', async () => {
    await using folder = await ownFolder();
    const root = join(folder.path, 'objects');
    await mkdir(root);
    const child = spawn(process.execPath, [fileURLToPath(new URL('../support/storage/local-storage-process.ts', import.meta.url)), root], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const { uploadId, first, second } = JSON.parse(line) as { uploadId: string; first: string; second: string };
    const bytes = randomBytes(3_000_000);
    expect((await send({ url: first, method: 'PUT', headers: {}, body: '' }, bytes)).status).toBe(200);
    const socket = await sendSome(second, 8_000_000, randomBytes(5_000_000));
    socket.on('error', () => {});
    await until(async () => expect((await filesIn(join(root, 'uploads'))).some((path) => path.includes('/.'))).toBe(true));
    child.kill('SIGKILL');
    await once(child, 'exit');
    socket.destroy();

    const running = await startLocalStorage({ root, secret, listen, inProcess: {} });
    expect(await filesIn(join(root, 'uploads'))).toHaveLength(1);
    const listed = await running.storage.listParts(key, uploadId);
    expect(listed).toMatchObject([{ partNumber: 1, size: 3_000_000 }]);
    expect((await running.storage.complete(key, uploadId, listed)).size).toBe(3_000_000);
    await running.close();
  });
});

describe('a process that packs small files, killed', () => {
  const packing = (root: string) => {
    const child = spawn(process.execPath, [fileURLToPath(new URL('../support/storage/packing-process.ts', import.meta.url)), root], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value as string) as unknown;
    const kill = async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    };
    return { child, next, kill };
  };

  test('after it has confirmed them, and again after it has completed them, loses none', async () => {
    await using folder = await ownFolder();
    const root = join(folder.path, 'objects');
    await mkdir(root);
    const first = packing(root);
    const { batchPutUrl, uploads } = (await first.next()) as { batchPutUrl: string; uploads: BegunUpload[] };
    const contents = uploads.map(() => randomBytes(10_240));
    const etags = await sendTogether({ batchPutUrl }, uploads, contents);
    await first.kill();

    const sent = uploads.map((upload, index) => ({ ...upload, parts: [{ partNumber: 1, etag: etags[index]!, size: 10_240 }] }));
    const second = packing(root);
    await second.next();
    second.child.stdin.write(`${JSON.stringify(sent)}\n`);
    const objects = (await second.next()) as StoredObject[];
    await second.kill();

    const running = await startLocalStorage({ root, secret, listen, inProcess: {} });
    expect(await running.storage.completeAll!(sent)).toEqual(objects);
    for (const [index, object] of objects.entries()) {
      expect(Buffer.concat(await (await running.storage.read(object.key!)).toArray()).equals(contents[index]!)).toBe(true);
    }
    expect(await filesIn(join(root, 'segments'))).toHaveLength(1);
    await running.close();
  });
});
