import { describe, expect, it } from 'vitest';
import { type AgentCallName, type AgentRequest, type AgentTransport, createAgentClient } from '#client/agent.ts';
import { AgentCallError } from '#client/agent-call-error.ts';
import { errorCatalogue } from '#protocol/errors.ts';

interface Asked {
  readonly url: string;
  readonly init: RequestInit;
}

/** A transport that records requests and gives the next of the planned answers. */
function planned(...answers: (Response | Error)[]): { transport: AgentTransport; asked: Asked[] } {
  const asked: Asked[] = [];
  return {
    asked,
    transport: async (url, init) => {
      asked.push({ url, init });
      const answer = answers.shift() ?? new Error('no answer was planned');
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status });

describe('the address of a call', () => {
  it.each([
    ['a parameter of the path', { params: { id: 'a/b ?' } }, 'getTransfer', '/api/v1/transfers/a%2Fb%20%3F'],
    ['no query', {}, 'listTransfers', '/api/v1/transfers'],
    [
      'lists by commas, absent values left out',
      { query: { state: ['queued', 'paused'], page: 2, sort: undefined } },
      'listTransfers',
      '/api/v1/transfers?state=queued%2Cpaused&page=2',
    ],
  ] as const)('%s', async (_, request, name, expected) => {
    const { transport, asked } = planned(json(200, {}));
    await createAgentClient({ transport }).call<AgentCallName>(name, request as AgentRequest<AgentCallName>);
    expect(asked[0]?.url).toBe(expected);
  });
});

describe('the agent client', () => {
  it('sends the method, the path and a JSON body of the route', async () => {
    const session = { user: { email: 'mia@example.com', id: 'u', name: 'Mia' }, teams: [] };
    const { transport, asked } = planned(json(200, session));
    const answer = await createAgentClient({ transport }).call('login', { body: { email: 'mia@example.com', password: 'secret' } });
    expect(answer).toEqual(session);
    expect(asked[0]?.url).toBe('/api/v1/login');
    expect(asked[0]?.init).toMatchObject({ method: 'POST', body: '{"email":"mia@example.com","password":"secret"}', credentials: 'omit' });
    expect(asked[0]?.init.headers).toMatchObject({ 'content-type': 'application/json' });
  });

  it('has no body and no content type where the route has none, and takes an empty answer', async () => {
    const { transport, asked } = planned(new Response(null, { status: 204 }));
    await expect(createAgentClient({ transport }).call('logout', {})).resolves.toBeUndefined();
    expect(asked[0]?.init.body).toBeUndefined();
    expect(asked[0]?.init.headers).not.toHaveProperty('content-type');
  });

  it('sends the bearer token where there is one', async () => {
    const { transport, asked } = planned(json(200, { status: 'ok' }));
    await createAgentClient({ transport, token: () => 'tok' }).call('healthz', {});
    expect(asked[0]?.init.headers).toMatchObject({ authorization: 'Bearer tok' });
  });

  it('turns an error answer into its code and sentence', async () => {
    const { code, message } = errorCatalogue.session_is_nil;
    const { transport } = planned(json(401, { code, message }));
    const failure = await createAgentClient({ transport })
      .call('getLogin', {})
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AgentCallError);
    expect(failure).toMatchObject({ kind: 'answered', status: 401, code, retryable: false });
    expect((failure as AgentCallError).is('session_is_nil')).toBe(true);
  });

  it.each([
    ['HTML of a proxy', '<h1>Bad gateway</h1>'],
    ['JSON of another kind', '{"error":"no"}'],
    ['nothing', ''],
  ])('stays readable when the error is %s', async (_, text) => {
    const { transport } = planned(new Response(text, { status: 502 }));
    await expect(createAgentClient({ transport }).call('status', {})).rejects.toMatchObject({
      message: 'The agent answered with status 502.',
      retryable: true,
    });
  });

  it('says that the agent is gone when there is no answer', async () => {
    const { transport } = planned(new TypeError('Failed to fetch'));
    await expect(createAgentClient({ transport }).call('status', {})).rejects.toMatchObject({ kind: 'offline', retryable: true });
  });

  it('lets an abort through as it is', async () => {
    const stop = new AbortController();
    stop.abort();
    const { transport } = planned(new DOMException('Aborted', 'AbortError'));
    await expect(createAgentClient({ transport }).call('status', { signal: stop.signal })).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('says that something else answers when it is not JSON', async () => {
    const { transport } = planned(new Response('<h1>Welcome</h1>', { status: 200 }));
    const failure = await createAgentClient({ transport })
      .call('status', {})
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AgentCallError);
    expect(failure).toMatchObject({ kind: 'answered', status: 200, foreign: true, retryable: false });
  });

  it('gives up a call that takes longer than its time limit, also in the middle of the answer', async () => {
    const transport: AgentTransport = async (_, { signal }) =>
      new Response(new ReadableStream({ start: (body) => signal!.addEventListener('abort', () => body.error(signal!.reason)) }));
    await expect(createAgentClient({ transport, timeoutMs: 1 }).call('status', {})).rejects.toMatchObject({
      kind: 'offline',
      cause: { name: 'TimeoutError' },
    });
  });

  it('opens a stream without a time limit, and asks for its media type', async () => {
    const { transport, asked } = planned(new Response('lines'));
    const reply = await createAgentClient({ transport, timeoutMs: 1 }).open('getTransferReceipt', { params: { id: 't1' } });
    expect(await reply.text()).toBe('lines');
    expect(asked[0]?.url).toBe('/api/v1/transfers/t1/receipt');
    expect(asked[0]?.init.headers).toMatchObject({ accept: 'application/x-ndjson' });
    expect(asked[0]?.init.signal).toBeUndefined();
  });

  it('throws what the agent answers in place of a stream', async () => {
    const { code, message } = errorCatalogue.not_found;
    const { transport } = planned(json(404, { code, message }));
    await expect(createAgentClient({ transport }).open('getTransferReceipt', { params: { id: 't1' } })).rejects.toMatchObject({ code });
  });

  it('does not compile without what the route needs', () => {
    const client = createAgentClient({ transport: planned().transport });
    const wrong = [
      // @ts-expect-error the route has a body
      () => client.call('login', {}),
      // @ts-expect-error the route has a parameter
      () => client.call('getTransfer', {}),
      // @ts-expect-error a stream is not a call
      () => client.call('streamEvents', {}),
    ];
    expect(wrong).toHaveLength(3);
  });
});
