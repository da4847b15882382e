import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTransferCounter } from '#agent-api/metrics/transfer-counts.ts';
import { type RunningAgentApi, startAgentApi } from '#agent-api/server.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { AgentError } from '#protocol/errors.ts';
import { type FakeEngine, fakeEngine, fakeTransfer } from '../../../support/engine/fake-engine.ts';

const changed = (transfer: Partial<AgentTransfer>) => ({ id: 1, type: 'transfer.changed', transfer: fakeTransfer(transfer) }) as const;
const failure = { ...new AgentError('agent_disk_full').body, retryable: true };

describe('what transfers did', () => {
  it('is counted from the first sight of each, and never decreases', () => {
    const counter = createTransferCounter();
    for (const bytes of [10, 30, 20, 60]) counter.take(changed({ bytes }));
    counter.take(changed({ id: 'other', kind: 'download', bytes: 1_000, files: 3 }));
    counter.take(changed({ id: 'other', kind: 'download', bytes: 1_500, files: 5 }));
    expect(counter).toMatchObject({ bytes: { upload: 60, download: 500 }, files: { upload: 0, download: 2 } });
  });

  it('counts each end once, and failures by their error', () => {
    const counter = createTransferCounter();
    const states = ['queued', 'transferring', 'error', 'error', 'queued', 'error', 'queued', 'complete', 'complete'] as const;
    for (const state of states) counter.take(changed({ state, error: state === 'error' ? failure : null }));
    expect(counter.completed).toEqual({ upload: 1, download: 0 });
    expect([...counter.failed]).toEqual([['agent_disk_full', 2]]);
  });

  it('counts only bytes whose movement it has seen', () => {
    const counter = createTransferCounter();
    counter.take(changed({ bytes: 10 }));
    counter.take({ id: 2, type: 'events.lost' });
    counter.take(changed({ bytes: 90 }));
    counter.take({ id: 3, type: 'transfer.removed', transfer_id: 'tr1' });
    counter.take(changed({ bytes: 95 }));
    expect(counter.bytes.upload).toBe(0);
  });
});

describe('GET /metrics', () => {
  let folder: string;
  let engine: FakeEngine;
  let api: RunningAgentApi;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longshore-metrics-'));
    engine = fakeEngine();
    const listen = { host: '127.0.0.1', port: 0 };
    api = await startAgentApi({ engine, listen, guiDir: null, dataDir: folder, version: '0.1.0', log: () => undefined });
  });
  afterAll(async () => {
    await api.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function values(): Promise<Map<string, number>> {
    const reply = await fetch(`${api.url}/metrics`);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/plain; ?version=0\.0\.4/)]);
    const lines = (await reply.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]));
  }

  it('has metrics of transfers, calls and the process', async () => {
    while (engine.subscribers.size === 0) await new Promise((resume) => setImmediate(resume));
    engine.store.set('up', fakeTransfer());
    for (const bytes of [10, 500]) engine.emit(changed({ bytes }));
    await fetch(`${api.url}/api/v1/nowhere`);
    await fetch(`${api.url}/api/v1/status`, { headers: { authorization: 'Bearer wrong' } });
    const found = await values();
    expect(found.get('longshore_agent_transfers{kind="upload",state="transferring"}')).toBe(1);
    expect(found.get('longshore_agent_moved_bytes_total{kind="upload"}')).toBe(490);
    expect(found.get('longshore_agent_speed_bytes_per_second{kind="upload"}')).toBe(5);
    expect(found.get('longshore_agent_queue_bytes{kind="upload"}')).toBe(90);
    expect(found.get('longshore_agent_call_errors_total{error="no_such_endpoint"}')).toBe(1);
    expect(found.get('longshore_agent_call_errors_total{error="agent_token_required"}')).toBe(1);
    expect(found.get('longshore_agent_calls_total{status="404"}')).toBe(1);
    expect(found.get('longshore_agent_info{version="0.1.0"}')).toBe(1);
    for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds'])
      expect(found.get(name), name).toBeGreaterThanOrEqual(0);
    // Read again it is the same, and not twice as much.
    expect((await values()).get('longshore_agent_moved_bytes_total{kind="upload"}')).toBe(490);
  });
});
