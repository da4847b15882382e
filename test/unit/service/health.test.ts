import { expect, it } from 'vitest';
import { ApiError } from '#protocol/errors.ts';
import { createHealth } from '#service/health.ts';
import { createRepeats } from '#service/log.ts';

function setUp(checks: Parameters<typeof createHealth>[0] = {}) {
  const clock = { now: Date.parse('2026-11-20T18:00:00Z') };
  const health = createHealth(checks, () => new Date(clock.now));
  const names = async () => (await health.problems()).map(({ error }) => error);
  return { clock, health, names };
}

it("reports a failure with its first time, in the catalogue's words, until the same thing works", async () => {
  const { clock, health } = setUp();
  const refused = new ApiError('storage_refused', { detail: 'it does not let us list parts' });
  health.failed('storage listParts', refused);
  clock.now += 600_000;
  health.failed('storage listParts', refused);
  health.works('storage head');
  expect(await health.problems()).toEqual([
    { error: 'storage_refused', code: refused.code, message: refused.message, since: '2026-11-20T18:00:00.000Z' },
  ]);
  health.works('storage listParts');
  expect(await health.problems()).toEqual([]);
});

it('reports a failure of several calls once, and forgets a passing one after a minute', async () => {
  const { clock, health, names } = setUp();
  health.failed('storage head', new ApiError('storage_unavailable'));
  health.failed('storage read', new ApiError('storage_unavailable'));
  health.failed('database', new ApiError('service_database_full'), { passes: true });
  expect(await names()).toEqual(['storage_unavailable', 'service_database_full']);
  clock.now += 60_000;
  expect(await names()).toEqual(['storage_unavailable']);
});

it('runs its checks once in some seconds, however often it is called', async () => {
  let asked = 0;
  let full = true;
  const { clock, names } = setUp({
    disk: async () => {
      asked += 1;
      return full ? new ApiError('service_database_full') : null;
    },
  });
  expect(await Promise.all([names(), names(), names()])).toEqual([1, 2, 3].map(() => ['service_database_full']));
  full = false;
  expect([await names(), asked]).toEqual([['service_database_full'], 1]);
  clock.now += 5_001;
  expect([await names(), asked]).toEqual([[], 2]);
});

it('logs one line a minute of a repeated failure, and says how many it skipped', () => {
  let now = 0;
  const repeats = createRepeats(() => now);
  const line = (name: string) => repeats({ err: 'x', onceAMinute: name });
  expect([line('a'), line('b'), line('a'), line('a')]).toEqual([{ err: 'x' }, { err: 'x' }, null, null]);
  expect([repeats({ id: 1 }), repeats('a text')]).toEqual([{ id: 1 }, 'a text']);
  now = 60_000;
  expect([line('a'), line('a'), line('b')]).toEqual([{ err: 'x', leftOut: 2 }, null, { err: 'x' }]);
});
