import { randomBytes } from 'node:crypto';
import { truncateSync, writeFileSync } from 'node:fs';
import { get, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { nodeFileSystem as files } from '#filesystem/node-file-system.ts';
import { createSyncWhenFast, type SyncWhenFast } from '#filesystem/sync-when-fast.ts';
import { defaultShares, MemoryBudget } from '#net/memory-budget.ts';
import { BufferPool } from '#storage/local/buffer-pool.ts';
import { ComparedParts } from '#storage/local/compared-parts.ts';
import { ComparisonBudgets } from '#storage/local/comparison-budgets.ts';
import { firstReadSize, sendStretches } from '#storage/local/send.ts';
import { startHttpServer } from '#test/support/system/http-server.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const bufferSize = 64 * 1024;
const fileSize = 700_001;

const aReceiver = (sent = 0) => ({
  memory: new MemoryBudget({ bytes: 2 ** 30, shares: defaultShares, now: () => 0 }).reserve({}, () => {}),
  connection: { sent },
  trusts: true,
  address: '203.0.113.1',
});

/** Every third piece at once. */
const byTurns = (): SyncWhenFast => {
  let times = 0;
  return (work) => (times++ % 3 === 0 ? work() : undefined);
};

async function setUp(syncWhenFast: SyncWhenFast) {
  const folder = await tempFolder();
  endings.push(folder.remove);
  const bytes = randomBytes(2 * fileSize);
  const pathOf = (file: string): string => join(folder.path, file);
  writeFileSync(pathOf('a'), bytes.subarray(0, fileSize));
  writeFileSync(pathOf('b'), bytes.subarray(fileSize));
  const wanted = [
    { file: 'a', offset: 3, length: fileSize - 3 },
    { file: 'b', offset: 0, length: fileSize - 5 },
  ];
  const outcomes: Promise<void>[] = [];
  const pool = new BufferPool(bufferSize, 16);
  const server = await startHttpServer((_, response) => {
    response.setHeader('content-length', 2 * fileSize - 8);
    outcomes.push(
      sendStretches(
        response,
        wanted,
        pathOf,
        { files, pool, firstPool: pool, syncWhenFast, compared: new ComparedParts(files) },
        aReceiver(),
      ),
    );
    return outcomes.at(-1)!;
  });
  endings.push(server.close);
  return { url: server.url, pathOf, expected: bytes.subarray(3, -5), outcomes };
}

function fetched(url: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => resolve(Buffer.concat(pieces)));
      response.on('error', reject);
    }).on('error', reject);
  });
}

describe.each([
  ['all at once', () => createSyncWhenFast({ clock: () => 0, waits: () => 0 })],
  ['all by other threads', () => () => undefined],
  ['by turns', byTurns],
] as const)('stretches of files, read %s', (_, syncWhenFast) => {
  test('arrive as they are, for several receivers at a time', async () => {
    const { url, expected } = await setUp(syncWhenFast());
    const all = await Promise.all([fetched(url), fetched(url), fetched(url)]);
    for (const one of all) expect(one.equals(expected)).toBe(true);
  });

  test('cut the connection where a file has become shorter', async () => {
    const { url, pathOf, outcomes } = await setUp(syncWhenFast());
    truncateSync(pathOf('b'), 100);
    await expect(fetched(url)).rejects.toMatchObject({ code: 'ECONNRESET' });
    await expect(outcomes[0]).rejects.toMatchObject({ code: 'object_damaged' });
  });
});

test('what an address takes comes off what was read for it to compare parts', async () => {
  const { pathOf } = await setUp(() => undefined);
  const { address } = aReceiver();
  const budgets = new ComparisonBudgets({ now: () => 0 });
  budgets.read(address, 3 * fileSize);
  const pool = new BufferPool(bufferSize, 16);
  const ports = { files, pool, firstPool: pool, syncWhenFast: () => undefined, compared: new ComparedParts(files, budgets) };
  const taking = new Writable({ write: (_bytes, _encoding, done) => done() });
  const wanted = [
    { file: 'a', offset: 0, length: fileSize },
    { file: 'b', offset: 0, length: fileSize - 5 },
  ];
  await sendStretches(taking as unknown as ServerResponse, wanted, pathOf, ports, aReceiver());
  expect(budgets.spent(address)).toBe(fileSize + 5);
});

test('other work goes on while a receiver takes all there is', async () => {
  const { pathOf, expected } = await setUp(() => undefined);
  const taken: Buffer[] = [];
  // As a socket does whose other end keeps up: every write is over at once.
  const eager = new Writable({
    write(bytes: Buffer, _, done) {
      taken.push(Buffer.from(bytes));
      done();
    },
  });
  let turns = 0;
  let over = false;
  const count = (): void => {
    turns++;
    if (!over) setImmediate(count);
  };
  count();
  const wanted = [{ file: 'a', offset: 3, length: fileSize - 3 }];
  const pool = new BufferPool(bufferSize, 16);
  const syncWhenFast = createSyncWhenFast({ clock: () => 0, waits: () => 0 });
  await sendStretches(
    eager as unknown as ServerResponse,
    wanted,
    pathOf,
    { files, pool, firstPool: pool, syncWhenFast, compared: new ComparedParts(files) },
    aReceiver(),
  );
  over = true;
  const all = Buffer.concat(taken);
  expect(all.equals(expected.subarray(0, fileSize - 3))).toBe(true);
  // Two buffers a turn at most.
  expect(turns).toBeGreaterThanOrEqual(all.length / bufferSize / 2);
});

describe('a receiver that takes nothing', () => {
  /** As a socket does whose other end takes nothing. */
  const stuckResponse = () => Object.assign(new Writable({ write() {} }), { headersSent: true }) as unknown as ServerResponse;

  test('holds two small buffers, and goes when others need the memory', async () => {
    const { pathOf } = await setUp(() => undefined);
    const clock = { now: 0 };
    const size = 64 * 1024;
    const memory = new MemoryBudget({ bytes: 5 * size, shares: defaultShares, now: () => clock.now });
    const pool = new BufferPool(1024 * 1024, 16);
    const firstPool = new BufferPool(firstReadSize, 16);
    const wanted = [{ file: 'a', offset: 0, length: fileSize }];
    const stuck = stuckResponse();
    const first = memory.reserve({}, () => void stuck.destroy());
    const ports = { files, pool, firstPool, syncWhenFast: () => undefined, compared: new ComparedParts(files) };
    const sending = sendStretches(stuck, wanted, pathOf, ports, { memory: first, connection: { sent: 0 }, trusts: true, address: '' });
    await expect.poll(() => first.reserved).toBe(2 * firstReadSize);
    const taken: Buffer[] = [];
    const eager = new Writable({
      write(bytes: Buffer, _, done) {
        taken.push(Buffer.from(bytes));
        done();
      },
    });
    const second = memory.reserve({}, () => expect.unreachable());
    const other = sendStretches(eager as unknown as ServerResponse, wanted, pathOf, ports, {
      memory: second,
      connection: { sent: 0 },
      trusts: true,
      address: '',
    });
    await expect.poll(() => second.rate(clock.now)).toBe(null);
    expect([taken.length, second.reserved]).toEqual([0, 0]);
    clock.now += 60_000;
    await other;
    expect(Buffer.concat(taken)).toHaveLength(fileSize);
    expect([stuck.destroyed, first.isEnded]).toEqual([true, true]);
    await sending;
  });

  test('holds two small buffers for each answer, also where its connection has taken much before', async () => {
    const { pathOf } = await setUp(() => undefined);
    const firstPool = new BufferPool(firstReadSize, 16);
    const ports = {
      files,
      pool: new BufferPool(1024 * 1024, 16),
      firstPool,
      syncWhenFast: () => undefined,
      compared: new ComparedParts(files),
    };
    const receiver = aReceiver(1024 * 1024 * 1024);
    let writes = 0;
    const stuck = Object.assign(new Writable({ highWaterMark: 2 ** 30, write: () => writes++ }), { headersSent: true });
    const write = vi.spyOn(stuck, 'write');
    const sending = sendStretches(
      stuck as unknown as ServerResponse,
      [{ file: 'a', offset: 0, length: fileSize }],
      pathOf,
      ports,
      receiver,
    );
    await expect.poll(() => write.mock.calls.length).toBe(2);
    expect([receiver.memory.reserved, writes]).toEqual([2 * firstReadSize, 1]);
    stuck.destroy();
    await sending;
  });
});
