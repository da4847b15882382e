import { Agent } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import type { ApiRequest } from '#client/ports.ts';
import { inCallTrace } from '#engine/call-trace.ts';
import { exchange } from '#engine/io/exchange.ts';
import { createTransport, type TransportOptions } from '#engine/io/transport.ts';
import { bodyOf, startHttpServer } from '#test/support/system/http-server.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function setUp(handle: Parameters<typeof startHttpServer>[0], options: TransportOptions = {}) {
  const server = await startHttpServer(handle);
  endings.push(server.close);
  const transport = createTransport(options);
  endings.push(transport.close);
  return { server, fetcher: transport.fetcher };
}

describe('a call', () => {
  test('carries method, headers and body, and brings status, headers and text', async () => {
    const { server, fetcher } = await setUp(async (request, response) => {
      const body = (await bodyOf(request)).toString();
      response
        .writeHead(201, { 'X-Two': ['a', 'b'], 'Retry-After': '3' })
        .end(`${request.method} ${request.url} ${request.headers['x-api-key']} ${body} ü`);
    });
    const reply = await fetcher({ method: 'POST', url: `${server.url}/v1/x?y=1`, headers: { 'x-api-key': 'k' }, body: '{"ü":1}' });
    expect(reply).toMatchObject({ status: 201, text: 'POST /v1/x?y=1 k {"ü":1} ü' });
    expect(reply.headers).toMatchObject({ 'x-two': 'a, b', 'retry-after': '3' });
  });

  test('names the program to the service, and to no storage', async () => {
    const { server, fetcher } = await setUp((request, response) => void response.end(String(request.headers['user-agent'])), {
      program: 'longshore/0.1.0',
    });
    const call = { method: 'GET', url: server.url, headers: {} };
    expect((await fetcher({ ...call, service: server.url })).text).toBe('longshore/0.1.0');
    expect((await fetcher(call)).text).toBe('undefined');
  });

  test('belongs to the trace of the call that causes it, unless it has its own', async () => {
    const { server, fetcher } = await setUp((request, response) => void response.end(String(request.headers['traceparent'])));
    const [outer, own] = ['1', '2'].map((digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}-00`) as [string, string];
    const toStorage: ApiRequest = { method: 'GET', url: server.url, headers: {} };
    const call = { ...toStorage, service: server.url };
    const answers = await inCallTrace(outer, () =>
      Promise.all([call, { ...call, headers: { traceparent: own } }, toStorage].map((request) => fetcher(request))),
    );
    expect(answers.map(({ text }) => text)).toEqual([outer, own, 'undefined']);
    expect((await fetcher(call)).text).toBe('undefined');
  });

  test('without a body has none', async () => {
    const { server, fetcher } = await setUp(async (request, response) => void response.end(String((await bodyOf(request)).length)));
    expect(await fetcher({ method: 'GET', url: server.url, headers: {} })).toMatchObject({ status: 200, text: '0' });
    expect(await fetcher({ method: 'POST', url: server.url, headers: {} })).toMatchObject({ status: 200, text: '0' });
  });

  test('does not open a connection each time, and not more than it may', async () => {
    const { server, fetcher } = await setUp((_, response) => void response.end('ok'), { connections: 3 });
    await Promise.all(Array.from({ length: 30 }, () => fetcher({ method: 'GET', url: server.url, headers: {} })));
    expect(server.connections()).toBe(3);
  });
});

describe('no answer', () => {
  test('a connection refused', async () => {
    const { server, fetcher } = await setUp(() => {});
    await server.close();
    await expect(fetcher({ method: 'GET', url: server.url, headers: {} })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('a connection that breaks', async () => {
    const { server, fetcher } = await setUp((request) => void request.socket.destroy());
    await expect(fetcher({ method: 'GET', url: server.url, headers: {} })).rejects.toThrow();
  });

  test('one that takes too long', async () => {
    const { server, fetcher } = await setUp(() => {}, { answerMs: 100 });
    await expect(fetcher({ method: 'GET', url: server.url, headers: {} })).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' });
  });

  test('one that stops in the middle', async () => {
    const { server, fetcher } = await setUp((_, response) => void response.write('beginning'), { stallMs: 100 });
    await expect(fetcher({ method: 'GET', url: server.url, headers: {} })).rejects.toMatchObject({ code: 'UND_ERR_BODY_TIMEOUT' });
  });

  test('an abort, before and while it is asked', async () => {
    const stop = new AbortController();
    const { server, fetcher } = await setUp(() => stop.abort(new Error('paused')));
    const request = { method: 'GET', url: server.url, headers: {}, signal: stop.signal };
    await expect(fetcher(request)).rejects.toThrow('paused');
    await expect(fetcher(request)).rejects.toThrow('paused');
    expect(server.requests).toHaveLength(1);
  });

  test('an address that is none', async () => {
    const { fetcher } = await setUp(() => {});
    await expect(fetcher({ method: 'GET', url: 'nowhere', headers: {} })).rejects.toThrow('Invalid URL');
  });
});

test('an answer longer than it may be is given up', async () => {
  const server = await startHttpServer((_, response) => void response.end('x'.repeat(2_000)));
  endings.push(server.close);
  const agent = new Agent();
  endings.push(() => agent.destroy());
  const request = { method: 'GET', url: server.url, headers: {} };
  await expect(exchange(agent, request, 1_999)).rejects.toMatchObject({ code: 'ANSWER_TOO_LONG' });
  expect((await exchange(agent, request, 2_000)).body).toHaveLength(2_000);
});
