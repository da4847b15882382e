import { mkdtemp, rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventStream } from '#agent-api/events.ts';
import { type RunningAgentApi, startAgentApi } from '#agent-api/server.ts';
import { type FakeEngine, fakeEngine, fakeTransfer } from '../../support/engine/fake-engine.ts';

let folder: string;
let engine: FakeEngine;
let api: RunningAgentApi;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-events-'));
  engine = fakeEngine();
  const listen = { host: '127.0.0.1', port: 0 };
  api = await startAgentApi({ engine, listen, guiDir: null, dataDir: folder, version: '0.1.0', log: () => undefined });
});
afterEach(async () => {
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

interface Reader {
  readonly response: IncomingMessage;
  /** Resolves with all that came so far, once it holds the text. */
  until(text: string): Promise<string>;
  readonly ended: Promise<void>;
  close(): void;
}

function open(path: string, headers: Record<string, string> = {}): Promise<Reader> {
  return new Promise((resolve, reject) => {
    const request = get(api.url + path, { headers, agent: false }, (response) => {
      let got = '';
      let look = () => {};
      response.setEncoding('utf8');
      response.on('data', (part) => {
        got += part;
        look();
      });
      const ended = new Promise<void>((end) => response.on('close', end));
      response.on('error', () => undefined);
      resolve({
        response,
        ended,
        close: () => request.destroy(),
        until: (text) =>
          new Promise((found) => {
            look = () => {
              if (got.includes(text)) found(got);
            };
            look();
          }),
      });
    });
    request.on('error', reject);
  });
}

const change = (id: string) => engine.emit({ type: 'transfer.changed', transfer: fakeTransfer({ id }) });

describe('GET /events', () => {
  it('sends what happens from now on, each with its id', async () => {
    change('before');
    const reader = await open('/api/v1/events');
    await reader.until('retry:');
    expect(reader.response.headers['content-type']).toMatch(/^text\/event-stream/);
    expect(reader.response.headers['cache-control']).toBe('no-store');
    await subscribed();
    change('after');
    const text = await reader.until('\n\nid: 2\n');
    expect(text).not.toContain('before');
    const data = /data: (.*)\n\n$/.exec(await reader.until('"after"'))?.[1];
    expect(JSON.parse(data ?? '')).toEqual({ id: 2, type: 'transfer.changed', transfer: fakeTransfer({ id: 'after' }) });
    reader.close();
  });

  it.each<[string, string, Record<string, string>]>([
    ['Last-Event-ID', '/api/v1/events', { 'last-event-id': '1' }],
    ['?after=', '/api/v1/events?after=1', {}],
    ['the header before the query, as a reconnecting browser sends both', '/api/v1/events?after=0', { 'last-event-id': '1' }],
  ])('replays what came after %s', async (_, path, headers) => {
    for (const id of ['one', 'two', 'three']) change(id);
    const reader = await open(path, headers);
    const text = await reader.until('three');
    expect(text.match(/^id: \d+$/gm)).toEqual(['id: 2', 'id: 3']);
    reader.close();
  });

  it('takes ids as long as an agent gives them', async () => {
    const asked: (number | null)[] = [];
    const { subscribe } = engine.events;
    Object.assign(engine.events, {
      subscribe: (after: number | null, signal: AbortSignal) => {
        asked.push(after);
        return subscribe(null, signal);
      },
    });
    for (const id of ['1795257348587000', '9007199254740993', '99999999999999999'])
      (await open('/api/v1/events', { 'last-event-id': id })).close();
    expect(asked).toEqual([1_795_257_348_587_000, null, null]);
  });

  it('takes no nonsense for an id', async () => {
    change('one');
    const reader = await open('/api/v1/events', { 'last-event-id': '1; DROP' });
    await subscribed();
    change('two');
    expect(await reader.until('two')).not.toContain('"one"');
    reader.close();
    expect((await fetch(`${api.url}/api/v1/events?after=x`)).status).toBe(400);
  });

  it('lets go of the engine when the reader leaves', async () => {
    const reader = await open('/api/v1/events');
    await subscribed();
    reader.close();
    await left();
    expect(engine.subscribers.size).toBe(counting);
  });

  it('ends when the agent stops, and does not hold it up', async () => {
    const reader = await open('/api/v1/events');
    await subscribed();
    await api.close();
    await reader.ended;
    await left();
  });
});

/** The metrics read the events too. */
const counting = 1;

/** Waits until a reader stands at the engine, by the engine's own state. */
const subscribed = () => until(() => engine.subscribers.size > counting);
const left = () => until(() => engine.subscribers.size <= counting);

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

describe('the stream', () => {
  it('breaks a silence with comments', async () => {
    const gone = new AbortController();
    const parts: string[] = [];
    for await (const part of eventStream(engine.events, { after: null, signal: gone.signal, heartbeat: 5 })) {
      parts.push(part);
      if (parts.length === 3) gone.abort();
    }
    expect(parts).toEqual(['retry: 1000\n\n', ': still here\n\n', ': still here\n\n']);
    await left();
  });

  it('leaves nothing in memory by its silence', async () => {
    const never = Promise.withResolvers<never>();
    const asked = vi.spyOn(never.promise, 'then');
    const events = { subscribe: () => ({ [Symbol.asyncIterator]: () => ({ next: () => never.promise }) }) };
    const stream = eventStream(events, { after: null, signal: new AbortController().signal, heartbeat: 1 });
    for (let n = 0; n < 5; n += 1) await stream.next();
    expect(asked).toHaveBeenCalledTimes(1);
    await stream.return(undefined);
  });

  it('takes the next event only when the one before was taken', async () => {
    for (const id of ['one', 'two', 'three']) change(id);
    const gone = new AbortController();
    let asked = 0;
    const events = {
      async *subscribe(after: number | null, signal: AbortSignal) {
        for await (const event of engine.events.subscribe(after, signal)) {
          asked += 1;
          yield event;
        }
      },
    };
    const stream = eventStream(events, { after: 0, signal: gone.signal });
    await stream.next();
    expect(asked).toBe(0);
    await stream.next();
    expect(asked).toBe(1);
    gone.abort();
    expect(await stream.next()).toMatchObject({ done: true });
  });

  it('gives nothing to a reader who has already left', async () => {
    const stream = eventStream(engine.events, { after: 0, signal: AbortSignal.abort() });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it("ends with the engine's own end, and passes its failure on", async () => {
    const gone = new AbortController();
    const failing = {
      // biome-ignore lint/correctness/useYield: it fails before its first event
      async *subscribe(): AsyncGenerator<never> {
        throw new Error('the ring is gone');
      },
    };
    const stream = eventStream(failing, { after: 0, signal: gone.signal });
    await stream.next();
    await expect(stream.next()).rejects.toThrow('the ring is gone');
  });
});
