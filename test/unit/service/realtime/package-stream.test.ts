import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { PackageEvent } from '#protocol/hosted/package-events.ts';
import { packageEventStream } from '#service/realtime/stream.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const event = (state: PackageEvent['state']): PackageEvent => ({
  ...{ type: 'progress', at: '2026-11-20T18:04:11.000Z', package_id: 'package', state, changes: [], unnamed_changes: 0 },
  ...{ files: { total: 1, finalized: 0 }, bytes: { total: 1_000, finalized: 0 } },
});

function openStream() {
  const asked: PromiseWithResolvers<PackageEvent | null>[] = [];
  const stop = new AbortController();
  const stream = packageEventStream(
    {
      next() {
        asked.push(Promise.withResolvers());
        vi.spyOn(asked.at(-1)!.promise, 'then');
        return asked.at(-1)!.promise;
      },
      close: () => asked.at(-1)?.resolve(null),
    },
    { signal: stop.signal, until: null, now: () => new Date(), check: () => Promise.resolve() },
  );
  const silence = async () => {
    const said = stream.next();
    await vi.advanceTimersByTimeAsync(15_000);
    return (await said).value;
  };
  return { asked, stream, stop, silence };
}

it('asks for one event once, however long nothing happens: nothing is left in memory by its silence', async () => {
  const { asked, stream, stop, silence } = openStream();
  await stream.next();
  for (let n = 0; n < 5; n += 1) expect(await silence()).toBe(': still here\n\n');
  expect(asked).toHaveLength(1);
  expect(asked[0]!.promise.then).toHaveBeenCalledTimes(1);
  asked[0]!.resolve(event('new'));
  expect((await stream.next()).value).toContain('"state":"new"');
  const last = stream.next();
  stop.abort();
  expect((await last).done).toBe(true);
});
