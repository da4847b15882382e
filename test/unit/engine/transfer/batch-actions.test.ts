import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { TransferQuery } from '#protocol/agent/transfers.ts';
import { startTestEngine } from '#test/support/engine/start-engine.ts';
import { putTransfers } from '#test/support/engine/stored-transfers.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** A real engine over a state file with many transfers, none of which moves by itself. */
const count = 300;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let engine: Engine;

beforeEach(async () => {
  folder = await tempFolder();
  await putTransfers(folder.path, { count });
  engine = await startTestEngine({ dataDir: folder.path, serviceUrl: 'http://127.0.0.1:9' });
});
afterEach(async () => {
  await engine.close();
  await folder.remove();
});

const states = async () => (await engine.transfers.summary({})).states;
const ids = async (query: Partial<TransferQuery>) =>
  (await engine.transfers.list('all', { page: 1, limit: 500, sort: 'position', ...query })).records.map(({ id }) => id);

describe('many transfers at once', () => {
  it('counts them by state, and what is left of those that are not over', async () => {
    expect(await states()).toEqual({ queued: 0, transferring: 0, paused: 75, idle: 0, complete: 195, error: 15, cancelled: 15 });
    const all = await engine.transfers.list('all', { page: 1, limit: 500, state: ['paused'] });
    const left = all.records.reduce((sum, one) => sum + one.total_bytes - one.bytes, 0);
    expect(await engine.transfers.summary({})).toMatchObject({ bytes_left: left, upload_bps: 0, download_bps: 0 });
    expect((await engine.transfers.summary({ kind: 'download' })).states).toMatchObject({ paused: 25, complete: 65 });
  });

  it('pages through all of them once, in the order asked for', async () => {
    const seen: string[] = [];
    for (let page = 1; page <= 4; page++) seen.push(...(await ids({ page, limit: 80, sort: 'queue' })));
    expect(new Set(seen).size).toBe(count);
    expect(seen).toEqual(await ids({ sort: 'queue' }));
  });

  it('removes all that match but those left out, and says what it did', async () => {
    const [kept] = await ids({ state: ['complete'] });
    const answer = await engine.transfers.actOnBatch({ action: 'remove', matching: { state: ['complete'] }, except: [kept!] });
    expect(answer).toEqual({ done: 194, refused: 0, reason: '' });
    expect(await ids({ state: ['complete'] })).toEqual([kept]);
  });

  it('does what the states allow and counts what they do not', async () => {
    const [failed] = await ids({ state: ['error'] });
    const [paused] = await ids({ state: ['paused'] });
    const named = [failed!, paused!, 'nobody'];
    expect(await engine.transfers.actOnBatch({ action: 'cancel', ids: named })).toMatchObject({ done: 1, refused: 2 });
    expect((await engine.transfers.get(paused!)).state).toBe('cancelled');
    expect(await engine.transfers.actOnBatch({ action: 'pause', ids: named })).toMatchObject({
      done: 0,
      refused: 3,
      reason: 'This upload is stopped by an error, so it cannot be paused.',
    });
    expect((await engine.transfers.log(paused!)).records.map(({ event }) => event)).toEqual(['cancelled']);
  });

  it('resumes and pauses hundreds, and ranks them', async () => {
    expect(await engine.transfers.actOnBatch({ action: 'resume', matching: { state: ['paused'] } })).toMatchObject({
      done: 75,
      refused: 0,
    });
    const pause = { action: 'pause' as const, matching: { state: ['queued' as const, 'transferring' as const] } };
    expect((await engine.transfers.actOnBatch({ ...pause })).done).toBeGreaterThan(0);
    expect((await states()).queued + (await states()).transferring).toBe(0);
    const some = (await ids({ state: ['paused'] })).slice(-2);
    await engine.transfers.actOnBatch({ action: 'priority', priority: 'high', ids: some });
    expect((await ids({ sort: 'queue' })).slice(0, 2)).toEqual(some);
  });

  it.each([
    [{ action: 'pause' }, 'Give either ids or matching'],
    [{ action: 'pause', ids: [], matching: {} }, 'Give either ids or matching'],
    [{ action: 'priority', ids: [] }, 'The field priority is missing.'],
  ] as const)('refuses %j', async (request, words) => {
    await expect(engine.transfers.actOnBatch(request as never)).rejects.toThrow(words);
  });
});
