import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Fault } from '#test/support/faults/proxy/plan.ts';
import { type FaultProxy, startFaultProxy } from '#test/support/faults/proxy/proxy.ts';
import { repeated } from '#test/support/faults/proxy/traffic.ts';
import { bodyOf, startHttpServer, type TestServer } from '#test/support/system/http-server.ts';

let server: TestServer;
let proxy: FaultProxy;
/** Bodies in the order in which they came whole. */
let received: string[];
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

beforeEach(async () => {
  received = [];
  server = await startHttpServer(async (incoming, answer) => {
    const body = (await bodyOf(incoming)).toString();
    received.push(body);
    if (incoming.url === '/chunked') {
      answer.write('one ');
      answer.end('two');
    } else if (incoming.url === '/-/parts') answer.end('{"parts":[{"etag":"1"},{"status":404},{"etag":"3"}]}');
    else if (incoming.url === '/nothing') answer.writeHead(204).end();
    else answer.end(`${incoming.method} ${incoming.url}: ${body}`);
  });
  // No longer than it takes to see that one stays.
  proxy = await startFaultProxy({ goneWithin: 50 });
  proxy.upstream = server.url;
});

afterEach(async () => {
  await proxy.close();
  await server.close();
});

interface Options {
  /** Gives up when this happens. */
  readonly until?: Promise<void>;
  readonly method?: string;
}

function ask(path: string, body = '', { method = 'PUT', until }: Options = {}): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const asking = request(proxy.url + path, { method, agent, headers: { 'content-length': body.length } }, (answer) => {
      answer.once('error', reject);
      void bodyOf(answer).then((text) => resolve({ status: answer.statusCode!, body: text.toString() }), reject);
    });
    asking.once('error', reject);
    void until?.then(() => asking.destroy(new Error('Enough waiting.')));
    asking.end(body);
  });
}

const on = { method: 'PUT', path: /^\/a$/ };

test('passes on requests and answers of each form over one connection', async () => {
  expect(await ask('/a', 'hello')).toEqual({ status: 200, body: 'PUT /a: hello' });
  expect(await ask('/chunked')).toEqual({ status: 200, body: 'one two' });
  expect(await ask('/nothing', 'x')).toEqual({ status: 204, body: '' });
  expect(await ask('/b?c=d', 'bye')).toEqual({ status: 200, body: 'PUT /b?c=d: bye' });
  expect(server.connections()).toBe(1);
  expect(await ask('/a', '', { method: 'HEAD' })).toEqual({ status: 200, body: '' });
  expect(proxy.requests.map(({ path }) => path)).toEqual(['/a', '/chunked', '/nothing', '/b', '/a']);
});

test('counts each of many parts that the server has confirmed, though its sender never hears of it', async () => {
  const body = `[{"target":"/x","length":2},{"target":"/y","length":3},{"target":"/z","length":1}]\naabbbc`;
  const ends = [{ on: { path: /\/-\/parts$/ }, at: { of: 'response', part: 'head', share: 0 }, do: 'cut' }] as const;
  for (const faults of [[], ends]) {
    proxy.plan(faults);
    await ask('/-/parts', body, { method: 'POST' }).catch(() => expect(faults).not.toEqual([]));
  }
  await proxy.verify();
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
  const once = [digest('aa'), digest('c')];
  expect(proxy.passages.map(({ method, what }) => [method, what])).toEqual([...once, ...once].map((what) => ['PUT', what]));
  expect(repeated(proxy.passages, 'PUT')).toEqual(once);
});

describe('a planned fault that never happens fails its test:', () => {
  const never: readonly (readonly [string, Fault])[] = [
    ['nobody asks', { on, do: 'cut' }],
    ['too few ask', { on: { ...on, nth: 2 }, do: 'cut' }],
    ['there is no byte to change', { on: { path: /^\/nothing$/ }, at: { of: 'response', part: 'body', share: 0 }, do: 'corrupt' }],
  ];
  test.each(never)('%s', async (_, fault) => {
    proxy.plan([fault]);
    await ask('/nothing');
    if (fault.on.nth) await ask('/a');
    await expect(proxy.verify()).rejects.toThrow(/It never happened: (cut|corrupt)/);
    // And is forgotten by then.
    await proxy.verify();
  });

  test('so does one that the server kept from happening', async () => {
    proxy.plan([{ on, at: { of: 'response', part: 'head', share: 0 }, do: 'cut' }]);
    proxy.down = true;
    await expect(ask('/a')).rejects.toThrow();
    await expect(proxy.verify()).rejects.toThrow('It never happened');
  });
});

describe('cuts and truncates', () => {
  test.each(['cut', 'truncate'] as const)('%s: the request in its middle never reaches the server whole', async (deed) => {
    proxy.plan([{ on, at: { of: 'request', part: 'body', share: 0.5 }, do: deed }]);
    await expect(ask('/a', 'hello')).rejects.toThrow();
    expect(await ask('/a', 'again')).toMatchObject({ status: 200 });
    expect(received).toEqual(['again']);
    await proxy.verify();
  });

  test.each(['cut', 'truncate'] as const)('%s: of the answer its beginning may come, after the server did its part', async (deed) => {
    for (const part of ['head', 'body'] as const) {
      proxy.plan([{ on, at: { of: 'response', part, share: 0.5 }, do: deed }]);
      await expect(ask('/a', part)).rejects.toThrow();
    }
    expect(received).toEqual(['head', 'body']);
    expect(proxy.passages).toHaveLength(2);
    await proxy.verify();
  });
});

test('changes one byte, which is then what the server got', async () => {
  proxy.plan([{ on, at: { of: 'request', part: 'body', share: 0.5 }, do: 'corrupt' }]);
  await ask('/a', 'hello');
  await ask('/a', 'hello');
  await ask('/a', 'hello');
  expect(received[0]).not.toBe('hello');
  expect(received.slice(1)).toEqual(['hello', 'hello']);
  // Sent twice was what arrived twice.
  expect(repeated(proxy.passages, 'PUT')).toHaveLength(1);
  await proxy.verify();
});

test('sends a request twice', async () => {
  proxy.plan([{ on, do: 'duplicate' }]);
  expect(await ask('/a', 'hello')).toEqual({ status: 200, body: 'PUT /a: hello' });
  expect(received).toEqual(['hello', 'hello']);
  await proxy.verify();
});

test('answers in place of the server, before or after it has been asked', async () => {
  const deed = { answer: { status: 503, headers: { 'retry-after': '1' }, body: 'busy' } };
  proxy.plan([
    { on, do: deed },
    { on, at: { of: 'response', part: 'head', share: 0 }, do: deed },
  ]);
  expect(await ask('/a', 'one')).toEqual({ status: 503, body: 'busy' });
  expect(await ask('/a', 'two')).toEqual({ status: 503, body: 'busy' });
  expect(await ask('/a', 'three')).toMatchObject({ status: 200 });
  expect(received).toEqual(['two', 'three']);
  await proxy.verify();
});

test('stalls until the client gives up, and tells of one that does not', async () => {
  const stall: Fault = { on, at: { of: 'response', part: 'head', share: 0 }, do: 'stall' };
  proxy.plan([stall]);
  await expect(ask('/a', 'x', { until: proxy.nextStall() })).rejects.toThrow('Enough waiting.');
  await proxy.verify();
  proxy.plan([{ ...stall, at: { of: 'request', part: 'body', share: 0.5 } }]);
  const endless = ask('/a', 'x');
  const failed = expect(endless).rejects.toThrow();
  await proxy.seen(() => true, 1);
  // By the time that another has been answered, this one stands still.
  await fetch(`${proxy.url}/b`);
  await expect(proxy.verify()).rejects.toThrow('It was waited for');
  await failed;
});

test('delays, and tells when a moment has come', async () => {
  proxy.plan([{ on: { ...on, nth: 2 }, at: { of: 'response', part: 'body', share: 0.3 }, do: { delay: 20 } }]);
  const second = proxy.seen(({ path }) => path === '/a', 2);
  await ask('/a', 'one');
  await Promise.all([second, ask('/a', 'two')]);
  await proxy.passed(3);
  await sleep(0);
  await proxy.verify();
});
