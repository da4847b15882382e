import { expect, it } from 'vitest';
import { createReadiness, type Probe } from '#service/readiness.ts';

const works: Probe = { parts: ['database', 'migrations'], look: async () => ({ database: null, migrations: null }) };

it('is ready when every part is, and names each', async () => {
  const { report } = createReadiness([works]);
  expect(await report()).toEqual({ status: 'ready', checks: { database: { status: 'ok' }, migrations: { status: 'ok' } } });
});

it('says which part is not, and tells nobody what an error held', async () => {
  const { report } = createReadiness([
    { parts: ['database', 'migrations'], look: async () => ({ database: null, migrations: 'The tables are of an older version.' }) },
    { parts: ['storage'], look: () => Promise.reject(new Error('s3://KEY:SECRET@host')) },
  ]);
  expect(await report()).toEqual({
    status: 'not_ready',
    checks: {
      database: { status: 'ok' },
      migrations: { status: 'failed', reason: 'The tables are of an older version.' },
      storage: { status: 'failed', reason: 'It cannot be reached.' },
    },
  });
});

it('answers although a part never does, and lets go of it', async () => {
  let left: AbortSignal | undefined;
  const hangs: Probe = {
    parts: ['storage'],
    look: (signal) => {
      left = signal;
      return new Promise(() => undefined);
    },
  };
  const { report } = createReadiness([works, hangs], { limitMilliseconds: 1 });
  expect(await report()).toMatchObject({ status: 'not_ready', checks: { database: { status: 'ok' }, storage: { status: 'failed' } } });
  expect(left?.aborted).toBe(true);
});

it('looks once for all who ask within two seconds', async () => {
  let looks = 0;
  let now = 0;
  const { report } = createReadiness(
    [
      {
        parts: ['storage'],
        look: async () => {
          looks += 1;
          return { storage: null };
        },
      },
    ],
    { now: () => now },
  );
  await Promise.all([report(), report()]);
  now = 2_000;
  await report();
  expect(looks).toBe(1);
  now = 2_001;
  await report();
  expect(looks).toBe(2);
});

it('is not ready any more once it is to stop, whatever its parts say', async () => {
  const { report, stop } = createReadiness([works]);
  expect(await report()).toMatchObject({ status: 'ready' });
  stop();
  expect(await report()).toEqual({
    status: 'not_ready',
    checks: { stop: { status: 'failed', reason: 'The service is stopping.' } },
  });
});
