import { expect, test } from 'vitest';
import { createHostedClient } from '#client/hosted.ts';
import type { ApiReply, Fetcher } from '#client/ports.ts';
import { createReachability, type UnreachableService } from '#engine/reachability.ts';
import { ApiError } from '#protocol/errors.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const there: ApiReply = { status: 200, headers: {}, text: '{}' };

function watching(isWaitedFor = true) {
  const clock = createFakeClock();
  const told: (readonly UnreachableService[])[] = [];
  const state = { answer: (): ApiReply => there, asked: 0, backs: 0 };
  const fetcher: Fetcher = async () => {
    state.asked++;
    return state.answer();
  };
  const reachability = createReachability({
    clock,
    random: () => 0,
    fetcher,
    isWaitedFor: () => isWaitedFor,
    changed: (services) => told.push(services),
    back: () => state.backs++,
  });
  const client = (url = 'http://one.test') => createHostedClient({ baseUrl: url, fetcher: reachability.watch(fetcher) });
  const call = (url?: string) =>
    client(url)
      .call('packageSpec', {})
      .catch(() => undefined);
  return { clock, told, state, reachability, call, client };
}

const refusing = (): never => {
  throw Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
};

test('a service that is gone is told with since when, why, and when it is asked next, until it answers', async () => {
  const { clock, told, state, reachability, call } = watching();
  const since = clock.now();
  expect(reachability.unreachable()).toEqual([]);
  state.answer = refusing;
  await call();
  expect(reachability.unreachable()).toEqual([
    {
      serviceUrl: 'http://one.test',
      since,
      reason: 'The service at http://one.test cannot be reached: connect ECONNREFUSED 127.0.0.1:1. Check the address and the network.',
      nextTryAt: since + 1_000,
    },
  ]);
  clock.advance(1_000);
  await settle();
  // Each look is later than the one before, and `since` stays.
  expect(reachability.unreachable()).toMatchObject([{ since, nextTryAt: since + 3_000 }]);
  const asked = state.asked;
  state.answer = () => there;
  clock.advance(2_000);
  await settle();
  expect([state.asked, state.backs, reachability.unreachable(), told.at(-1), clock.pending]).toEqual([asked + 1, 1, [], [], 0]);
});

test('"try now" asks at once, and another one’s call that gets through ends the waiting as well', async () => {
  const { clock, state, reachability, call } = watching();
  state.answer = refusing;
  await call('http://one.test');
  await call('http://two.test');
  const asked = state.asked;
  reachability.tryNow();
  await settle();
  expect(state.asked).toBe(asked + 2);
  state.answer = () => there;
  await call('http://two.test');
  expect(reachability.unreachable().map(({ serviceUrl }) => serviceUrl)).toEqual(['http://one.test']);
  reachability.tryNow();
  await settle();
  expect([reachability.unreachable(), state.backs, clock.pending]).toEqual([[], 2, 0]);
});

const page = '<html>Sign in to this network</html>';
test.each<[string, () => ApiReply, boolean]>([
  ['a sign-in page', () => ({ status: 200, headers: {}, text: page }), true],
  ['a redirect', () => ({ status: 302, headers: {}, text: '' }), true],
  ['a gateway without its service', () => ({ status: 502, headers: {}, text: page }), true],
  ['a service that is starting', () => ({ status: 503, headers: {}, text: JSON.stringify(new ApiError('unavailable').body) }), true],
  ['a refusal', () => ({ status: 401, headers: {}, text: JSON.stringify(new ApiError('credential_missing').body) }), false],
  ['nothing to say', () => ({ status: 204, headers: {}, text: '' }), false],
])('answered with %s: gone %s', async (_, answer, gone) => {
  const { state, reachability, call, clock } = watching();
  state.answer = answer;
  await call();
  expect(reachability.unreachable()).toHaveLength(gone ? 1 : 0);
  reachability.close();
  expect(clock.pending).toBe(0);
});

test('while nothing waits for it, it is asked once a minute in the end', async () => {
  const { clock, state, reachability, call } = watching(false);
  state.answer = refusing;
  await call();
  for (let second = 0; second < 600; second++) {
    clock.advance(1_000);
    await settle();
  }
  const before = state.asked;
  for (let second = 0; second < 600; second++) {
    clock.advance(1_000);
    await settle();
  }
  expect(state.asked - before).toBe(10);
  reachability.close();
});

test('a call that its caller gives up says nothing, and neither does the storage', async () => {
  const { state, reachability, client } = watching();
  state.answer = refusing;
  const stop = new AbortController();
  stop.abort();
  await client()
    .call('packageSpec', { signal: stop.signal })
    .catch(() => undefined);
  const fetcher = reachability.watch(async () => refusing());
  await fetcher({ method: 'PUT', url: 'http://storage.test/part', headers: {} }).catch(() => undefined);
  expect(reachability.unreachable()).toEqual([]);
});
