import { describe, expect, it } from 'vitest';
import { agentRoutes } from '#protocol/agent/routes.ts';
import { errorCatalogue } from '#protocol/errors.ts';
import { addressOf, createAgentClient } from '#renderer/agent/call.ts';
import { AgentFailure } from '#renderer/agent/failure.ts';

interface Asked {
  readonly url: string;
  readonly init: RequestInit;
}

/** A fetch that notes what it is asked and gives the next of the planned answers. */
function planned(...answers: (Response | Error)[]): { fetcher: typeof fetch; asked: Asked[] } {
  const asked: Asked[] = [];
  return {
    asked,
    fetcher: async (input, init = {}) => {
      asked.push({ url: String(input), init });
      const answer = answers.shift() ?? new Error('no answer was planned');
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status });
const noToken = () => null;

describe('addressOf', () => {
  it.each([
    ['a place in the path', 'getTransfer', { params: { id: 'a/b ?' } }, '/api/v1/transfers/a%2Fb%20%3F'],
    ['no query', 'listTransfers', {}, '/api/v1/transfers'],
    [
      'lists by commas, absent values left out',
      'listTransfers',
      { query: { state: ['queued', 'paused'], page: 2, sort: undefined } },
      '/api/v1/transfers?state=queued%2Cpaused&page=2',
    ],
  ] as const)('%s', (_, name, input, expected) => {
    expect(addressOf(agentRoutes[name], input)).toBe(expected);
  });
});

describe('the agent client', () => {
  it('sends the method, the path and a JSON body of the route', async () => {
    const session = { user: { email: 'mia@example.com', id: 'u', name: 'Mia' }, teams: [] };
    const { fetcher, asked } = planned(json(200, session));
    const answer = await createAgentClient(fetcher, noToken).call('login', { body: { email: 'mia@example.com', password: 'secret' } });
    expect(answer).toEqual(session);
    expect(asked[0]?.url).toBe('/api/v1/login');
    expect(asked[0]?.init).toMatchObject({ method: 'POST', body: '{"email":"mia@example.com","password":"secret"}', credentials: 'omit' });
    expect(asked[0]?.init.headers).toMatchObject({ 'content-type': 'application/json' });
  });

  it('has no body and no content type where the route has none, and takes an empty answer', async () => {
    const { fetcher, asked } = planned(new Response(null, { status: 204 }));
    await expect(createAgentClient(fetcher, noToken).call('logout', {})).resolves.toBeUndefined();
    expect(asked[0]?.init.body).toBeUndefined();
    expect(asked[0]?.init.headers).not.toHaveProperty('content-type');
  });

  it('sends the bearer token where there is one', async () => {
    const { fetcher, asked } = planned(json(200, { status: 'ok' }));
    await createAgentClient(fetcher, () => 'tok').call('healthz', {});
    expect(asked[0]?.init.headers).toMatchObject({ authorization: 'Bearer tok' });
  });

  it('turns an error answer into its code and sentence', async () => {
    const { code, message } = errorCatalogue.session_is_nil;
    const { fetcher } = planned(json(401, { code, message }));
    const failure = await createAgentClient(fetcher, noToken)
      .call('getLogin', {})
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AgentFailure);
    expect(failure).toMatchObject({ kind: 'answered', status: 401, code, retryable: false });
    expect((failure as AgentFailure).is('session_is_nil')).toBe(true);
  });

  it.each([
    ['HTML of a proxy', '<h1>Bad gateway</h1>'],
    ['JSON of another kind', '{"error":"no"}'],
    ['nothing', ''],
  ])('stays readable when the error is %s', async (_, text) => {
    const { fetcher } = planned(new Response(text, { status: 502 }));
    await expect(createAgentClient(fetcher, noToken).call('status', {})).rejects.toMatchObject({
      message: 'The agent answered with status 502.',
      retryable: true,
    });
  });

  it('says that the agent is gone when there is no answer', async () => {
    const { fetcher } = planned(new TypeError('Failed to fetch'));
    await expect(createAgentClient(fetcher, noToken).call('status', {})).rejects.toMatchObject({ kind: 'offline', retryable: true });
  });

  it('lets an abort through as it is', async () => {
    const stop = new AbortController();
    stop.abort();
    const { fetcher } = planned(new DOMException('Aborted', 'AbortError'));
    await expect(createAgentClient(fetcher, noToken).call('status', { signal: stop.signal })).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('does not compile without what the route needs', () => {
    const client = createAgentClient(planned().fetcher, noToken);
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
