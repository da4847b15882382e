import { expect, test } from 'vitest';
import { checkProvider } from '#providers/check.ts';
import { ProviderError } from '#providers/errors.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { store } from '#test/support/providers/files.ts';
import { createInMemoryProvider, newCloud } from '#test/support/providers/in-memory-provider.ts';

const never = new AbortController().signal;
const options = { direction: 'service_to_cloud', folder: 'in', signal: never } as const;

/** Waits until the signal is aborted, as a call to a server does that says nothing. */
const stuck = (_request: unknown, signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });

test('tells why steps failed, and tries those after them', async () => {
  const refusal = new ProviderError('forbidden', 'Listing is not allowed.');
  const provider = { ...createInMemoryProvider(), list: () => Promise.reject(refusal) };
  const { ok, steps, failures } = await checkProvider(provider, options);
  expect(ok).toBe(false);
  expect(steps.map(({ step, ok: did, message }) => [step, did, message])).toEqual([
    ['put', true, ''],
    ['list', false, 'Listing is not allowed.'],
    ['get', true, ''],
    ['abort', true, ''],
    ['delete', true, ''],
  ]);
  expect(failures).toEqual([refusal]);
});

test.each(['list', 'openRange', 'remove', 'putPart', 'complete'] as const)(
  'ends when the time is up, and removes what it wrote: %s says nothing',
  async (call) => {
    const cloud = newCloud();
    const provider = createInMemoryProvider(cloud);
    let stops = 1;
    const silent: CloudProvider = {
      ...provider,
      [call]: (request: never, signal: AbortSignal) => (stops-- > 0 ? stuck(request, signal) : provider[call](request, signal)),
    };
    const { ok, steps } = await checkProvider(silent, { ...options, timeLimit: 200 });
    expect(ok).toBe(false);
    expect(steps.find((one) => !one.ok)!.message).toMatch(/within 0\.2 s\. Try again/);
    expect([cloud.files.size, cloud.uploads.size]).toEqual([0, 0]);
  },
);

test('whose last answer is lost removes the file all the same', async () => {
  const cloud = newCloud();
  const provider = createInMemoryProvider(cloud);
  const silent: CloudProvider = {
    ...provider,
    async complete(request, signal) {
      await provider.complete(request, signal);
      return await stuck(request, signal);
    },
  };
  expect((await checkProvider(silent, { ...options, timeLimit: 200 })).ok).toBe(false);
  expect([cloud.files.size, cloud.uploads.size]).toEqual([0, 0]);
});

test('rejects when nobody waits any more, and removes what it wrote', async () => {
  const cloud = newCloud();
  const leaving = new AbortController();
  const provider: CloudProvider = {
    ...createInMemoryProvider(cloud),
    list(request, signal) {
      expect(cloud.files.size).toBe(1);
      leaving.abort();
      return stuck(request, signal);
    },
  };
  await expect(checkProvider(provider, { ...options, signal: leaving.signal })).rejects.toThrow(/abort/);
  expect([cloud.files.size, cloud.uploads.size]).toEqual([0, 0]);
});

test('looks into each folder that files come from, and reads in the first that has some', async () => {
  const cloud = newCloud();
  const provider = createInMemoryProvider(cloud);
  await store(provider, 'b/one.bin', Buffer.from('bytes'));
  const listed: string[] = [];
  const read: string[] = [];
  const watched: CloudProvider = {
    ...provider,
    list(request, signal) {
      listed.push(request.folder);
      return provider.list(request, signal);
    },
    openRange(request, signal) {
      read.push(request.id);
      return provider.openRange(request, signal);
    },
  };
  const collect = { ...options, direction: 'cloud_to_service', folder: 'a', otherFolders: ['b', 'c'] } as const;
  expect(await checkProvider(watched, collect)).toMatchObject({ ok: true, notes: [], steps: [{ step: 'list' }, { step: 'get' }] });
  expect([listed, read]).toEqual([['a', 'b', 'c'], ['b/one.bin']]);
});
