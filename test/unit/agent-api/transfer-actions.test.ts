import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningAgentApi, startAgentApi } from '#agent-api/server.ts';
import { fakeEngine, fakeTransfer } from '#test/support/engine/fake-engine.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** What a page with very many transfers asks, over real HTTP. */
const engine = fakeEngine();
let folder: Awaited<ReturnType<typeof tempFolder>>;
let api: RunningAgentApi;

beforeAll(async () => {
  folder = await tempFolder();
  engine.store.set('a', fakeTransfer({ id: 'a' }));
  api = await startAgentApi({
    engine,
    listen: { host: '127.0.0.1', port: 0 },
    guiDir: null,
    dataDir: folder.path,
    version: 'test',
    log: () => {},
  });
});
afterAll(async () => {
  await api.close();
  await folder.remove();
});

const get = async (path: string) => {
  const answer = await fetch(`${api.url}/api/v1${path}`);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};
const batch = async (body: unknown) => {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${api.url}/api/v1/transfers/batch`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};
const last = () => engine.calls.at(-1);

describe('batch actions of the local API', () => {
  it('counts transfers by the filter of the list', async () => {
    const { status, body } = await get('/transfers/summary?kind=upload&state=queued,paused&name=reel');
    expect(status).toBe(200);
    expect(body).toMatchObject({ states: { transferring: 1, complete: 0 }, bytes_left: 90 });
    expect(last()).toEqual({ name: 'summary', input: { kind: 'upload', state: ['queued', 'paused'], name: 'reel' } });
  });

  it('lists transfers in queue order', async () => {
    expect((await get('/transfers?sort=queue&team_id=t1&limit=100')).status).toBe(200);
    expect(last()).toMatchObject({ input: { query: { sort: 'queue', team_id: 't1', limit: 100, page: 1 } } });
    expect((await get('/transfers?sort=luck')).status).toBe(400);
  });

  it('applies one action to several transfers', async () => {
    const request = { action: 'priority', priority: 'high', matching: { state: ['queued'] }, except: ['a'] };
    expect(await batch(request)).toEqual({ status: 200, body: { done: 1, refused: 0, reason: '' } });
    expect(last()).toEqual({ name: 'actOnBatch', input: request });
    expect((await batch({ action: 'explode', ids: [] })).status).toBe(400);
    expect((await batch({ action: 'pause', ids: Array.from({ length: 10_001 }, () => 'a') })).status).toBe(400);
  });

  it('reads the log and the files of one', async () => {
    const at = '2026-11-20T10:00:00.000Z';
    expect(await get('/transfers/a/log')).toEqual({ status: 200, body: { records: [{ at, event: 'added', detail: '' }] } });
    expect((await get('/transfers/nobody/log')).status).toBe(404);
    expect((await get('/transfers/a/files?state=error')).status).toBe(200);
    expect((await get('/transfers/a/files?state=lost')).status).toBe(400);
  });
});
