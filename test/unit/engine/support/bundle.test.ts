import { buffer } from 'node:stream/consumers';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { silentLog } from '#engine/ports.ts';
import { createKnownSecrets } from '#engine/secrets/known-secrets.ts';
import { supportBundle } from '#engine/support/bundle.ts';
import { createRecentLog } from '#engine/support/recent-log.ts';
import { redactor } from '#engine/support/redact.ts';
import { systemFacts } from '#engine/support/system-facts.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import { fakeEngine, fakeTransfer } from '#test/support/engine/fake-engine.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** What is in a zip, read by its local headers (each entry stands with its size, since all are made from buffers). */
function entriesOf(zip: Buffer): Map<string, string> {
  const entries = new Map<string, string>();
  for (let at = 0; zip.readUInt32LE(at) === 0x04034b50; ) {
    const [method, size, name, extra] = [
      zip.readUInt16LE(at + 8),
      zip.readUInt32LE(at + 18),
      zip.readUInt16LE(at + 26),
      zip.readUInt16LE(at + 28),
    ];
    const start = at + 30 + name + extra;
    const bytes = zip.subarray(start, start + size);
    entries.set(zip.subarray(at + 30, at + 30 + name).toString(), (method === 8 ? inflateRawSync(bytes) : bytes).toString());
    at = start + size;
  }
  return entries;
}

describe('the support bundle', () => {
  it('tells what helps, and no secret', async () => {
    const folder = await tempFolder();
    const engine = fakeEngine();
    const link = 'https://s.example/d/l1?secret=heron-secret-1234';
    const failure = { code: 524298, message: 'The disk is full, said token=blue-heron-77', retryable: true };
    engine.store.set('up', fakeTransfer({ id: 'up', url: link, links: [{ email: 'jonas@example.com', url: link }] }));
    engine.store.set('bad', fakeTransfer({ id: 'bad', state: 'error', error: failure, name: 'blue-heron-77' }));
    const log = createRecentLog(silentLog, () => 0);
    log.warn({ transfer: 'up', error: 'refused blue-heron-77' }, 'a transfer failed');
    const known = createKnownSecrets();
    known.add('blue-heron-77');
    try {
      const zip = await supportBundle({
        engine,
        log: log.lines(),
        system: systemFacts(folder.path, nodeFileSystem),
        redact: redactor(known.all()),
        more: { 'metrics.txt': 'longshore_agent_info 1\n' },
        now: new Date('2026-11-21T10:00:00Z'),
      });
      const entries = entriesOf(await buffer(zip));
      const names = ['README.txt', 'status.json', 'system.json', 'transfers.json', 'failed.json', 'log.jsonl', 'metrics.txt'];
      expect([...entries.keys()]).toEqual(names.map((name) => `longshore-support/${name}`));
      const read = (name: string) => entries.get(`longshore-support/${name}`)!;
      expect(JSON.parse(read('status.json'))).toMatchObject({ version: '0.1.0', settings: { order: 'shared' } });
      expect(JSON.parse(read('system.json'))).toMatchObject({ process: { node: process.version }, data_folder: { path: folder.path } });
      expect(JSON.parse(read('transfers.json'))).toMatchObject({
        total: 2,
        records: [{ id: 'up', url: 'https://s.example/d/l1', links: 1 }, {}],
      });
      expect(JSON.parse(read('failed.json'))).toMatchObject([{ id: 'up' }, { id: 'bad', log: [{ event: 'added' }], files: [] }]);
      expect(JSON.parse(read('log.jsonl'))).toMatchObject({ level: 'warn', message: 'a transfer failed', transfer: 'up' });
      const everything = [...entries.values()].join('\n');
      for (const secret of ['heron-secret', 'blue-heron', 'jonas@example.com']) expect(everything).not.toContain(secret);
    } finally {
      await folder.remove();
    }
  });
});

describe('the recent log', () => {
  it('keeps lines of every level, passes all on, and is bounded', () => {
    const passed: string[] = [];
    const note = (level: string) => (_: object, message: string) => void passed.push(`${level} ${message}`);
    const log = createRecentLog({ debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') }, () => 1_000);
    log.debug({ a: 1 }, 'first');
    log.error({ error: new Error('broken') }, 'second');
    expect(passed).toEqual(['debug first', 'error second']);
    expect(log.lines().map((line) => JSON.parse(line))).toMatchObject([
      { time: '1970-01-01T00:00:01.000Z', level: 'debug', message: 'first', a: 1 },
      { level: 'error', message: 'second', error: { message: 'broken', stack: expect.stringContaining('bundle.test') } },
    ]);
    for (let number = 0; number < 2_000; number++) log.info({ number, text: 'x'.repeat(10_000) }, 'much');
    const size = log.lines().reduce((sum, line) => sum + line.length, 0);
    expect(size).toBeLessThanOrEqual(512 * 1024);
    expect(log.lines().at(-1)).toContain('"number":1999');
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    log.info(circle, 'round');
    expect(JSON.parse(log.lines().at(-1)!)).toHaveProperty('unreadable');
  });
});

describe('known secrets', () => {
  it('are those that were read or kept', async () => {
    const known = createKnownSecrets();
    const kept = new Map([['user-token', 'old-token']]);
    const store = known.remembering({
      kind: 'vault',
      get: async (name) => kept.get(name) ?? null,
      set: async (name, value) => void kept.set(name, value),
      delete: async (name) => void kept.delete(name),
    });
    expect([await store.get('user-token'), await store.get('other')]).toEqual(['old-token', null]);
    await store.set('user-token', 'new-token');
    await store.delete('user-token');
    expect([...known.all(), kept.size]).toEqual(['old-token', 'new-token', 0]);
    for (let number = 0; number < 1_500; number++) known.add(`secret ${number}`);
    expect(known.all().size).toBe(1_000);
    expect(known.all().has('secret 1499')).toBe(true);
  });
});
