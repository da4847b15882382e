import { expect, it, onTestFinished } from 'vitest';
import { createHostedClient } from '#client/hosted.ts';
import type { ApiReply, ApiRequest } from '#client/ports.ts';
import { createArrivalBells } from '#engine/automations/downloads/arrival-bells.ts';
import { clockOffset } from '#engine/automations/downloads/service-time.ts';
import type { Session } from '#engine/session/session.ts';
import { ApiError } from '#protocol/errors.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';

/** Long polls for packages of a Team, with a service that the test plays. */

interface Asked {
  readonly query: string;
  answer(status: number, body: object): void;
}

function create() {
  const clock = createFakeClock();
  const calls: Asked[] = [];
  let closed = 0;
  const fetcher = (request: ApiRequest): Promise<ApiReply> =>
    new Promise((resolve, reject) => {
      request.signal?.addEventListener('abort', () => reject(request.signal?.reason));
      calls.push({
        query: new URL(request.url).search,
        answer: (status, body) => resolve({ status, headers: {}, text: JSON.stringify(body) }),
      });
    });
  const session = {
    hosted: (_: unknown, by: typeof fetcher) => ({ client: createHostedClient({ baseUrl: 'http://service.test', fetcher: by }) }),
  } as unknown as Session;
  const openFetcher = () => ({ fetcher, close: async () => void closed++ });
  const bells = createArrivalBells({ session, clock, random: () => 0, openFetcher });
  onTestFinished(() => bells.close());
  /** The call of this number, once it is made. */
  const call = async (number: number): Promise<Asked> => {
    await expect.poll(() => calls.length).toBe(number);
    return calls[number - 1]!;
  };
  /** Lets pauses pass, once there is one. */
  const pass = async (milliseconds: number): Promise<void> => {
    await expect.poll(() => clock.pending).toBe(1);
    clock.advance(milliseconds);
  };
  return { bells, calls, call, pass, closed: () => closed };
}

const wanted = { serviceUrl: 'http://service.test', teamId: 't', sessionId: 's' };
const at = '2026-11-23T09:00:00.000Z';
const told = (id: string, portalId?: string) => ({ id, finalized_at: at, ...(portalId === undefined ? {} : { portal_id: portalId }) });

it('rings once it works, and for each package, with one poll for all who listen', async () => {
  const { bells, call, calls, pass, closed } = create();
  const rings: unknown[] = [];
  const first = bells.listen(wanted, (ids) => rings.push(ids === null ? null : [...ids]));
  const second = bells.listen(wanted, () => rings.push('second'));
  expect(first.works).toBe(false);
  (await call(1)).answer(200, { at, packages: [] });
  await expect.poll(() => rings).toEqual([null, 'second']);
  expect([calls[0]!.query, first.works]).toEqual(['?wait=0', true]);
  second.end();
  await pass(1_000);
  (await call(2)).answer(200, { at, packages: [told('a', 'p'), told('b')] });
  await expect.poll(() => rings.slice(2)).toEqual([['p']]);
  expect(calls[1]!.query).toBe(`?after=${encodeURIComponent(at)}&wait=45`);
  await pass(1_000);
  // The same once more, and another one.
  (await call(3)).answer(200, { at, packages: [told('c', 'q'), told('a', 'p')] });
  await expect.poll(() => rings.slice(3)).toEqual([['q']]);
  await pass(1_000);
  await call(4);
  first.end();
  await bells.close();
  expect([calls.length, closed()]).toEqual([4, 1]);
});

it('says where it does not work, and asks an older service rarely', async () => {
  const { bells, call, pass } = create();
  const states: boolean[] = [];
  const bell = bells.listen(wanted, () => states.push(bell.works));
  (await call(1)).answer(404, new ApiError('not_found', { resource: 'page' }).body);
  await pass(599_999);
  expect([states, bell.works]).toEqual([[], false]);
  await pass(1);
  (await call(2)).answer(200, { at, packages: [] });
  await pass(1_000);
  (await call(3)).answer(503, new ApiError('unavailable').body);
  await expect.poll(() => states).toEqual([true, false]);
  await pass(60_000);
  expect((await call(4)).query).toBe('?wait=0');
});

it.each([
  [1_000, 990, 1_010, 0],
  [1_000, 1_000, 1_000, 0],
  [5_000, 990, 1_010, 3_990],
  [500, 990, 1_010, -510],
])('a service that says %d to a question from %d to %d is %d ms ahead', (says, asked, answered, expected) => {
  expect(clockOffset(says, asked, answered)).toBe(expected);
});
