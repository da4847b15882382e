import { expect, it, vi } from 'vitest';
import { createShutdown } from '#service/shutdown.ts';

const never = new Promise<never>(() => undefined);

it('closes what was started last first, and the others where one cannot be closed', async () => {
  const error = vi.fn();
  const shutdown = createShutdown({ error });
  const closed: string[] = [];
  shutdown.add('the database', () => closed.push('database'));
  shutdown.add('the jobs', () => Promise.reject(new Error('no room')));
  shutdown.add('the calls', () => closed.push('calls'));
  await shutdown.run(60_000);
  expect(closed).toEqual(['calls', 'database']);
  expect(error).toHaveBeenCalledOnce();
  await shutdown.run();
  expect(closed).toHaveLength(2);
});

it('names what it has waited for where that does not end', async () => {
  const shutdown = createShutdown({ error: vi.fn() });
  const first = vi.fn();
  const last = vi.fn();
  shutdown.add('the data folder', first);
  shutdown.add('the storage', () => never);
  shutdown.add('the calls', last);
  await expect(shutdown.run(20)).rejects.toThrow(
    /^The storage has not stopped within 0\.02 s, most likely because a disk, the database or the storage does not answer\. /,
  );
  expect([first.mock.calls.length, last.mock.calls.length]).toEqual([0, 1]);
});
