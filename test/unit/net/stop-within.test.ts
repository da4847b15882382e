import { describe, expect, it, vi } from 'vitest';
import { LateStopError, stopWithin } from '#net/stop-within.ts';

const never = new Promise<never>(() => undefined);
const late = { silent: 'a disk', next: 'the rest is done at the next start' };

describe('a stop that may not take for ever', () => {
  it('closes parts one after the other', async () => {
    const seen: string[] = [];
    const part = (name: string) => ({
      name,
      close: async () => {
        seen.push(`${name} begins`);
        await Promise.resolve();
        seen.push(`${name} ends`);
      },
    });
    await stopWithin(1_000, [part('one'), part('two')], late);
    expect(seen).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
  });

  it('names the part that it has waited for', async () => {
    const closed = vi.fn(async () => undefined);
    const parts = [
      { name: 'The local API', close: closed },
      { name: 'The transfer engine', close: () => never },
    ];
    const sentence =
      'The transfer engine has not stopped within 0.02 s, most likely because a disk does not answer. Its process is ended as it is; the rest is done at the next start.';
    await expect(stopWithin(20, parts, late)).rejects.toThrow(new LateStopError(sentence));
    expect(closed).toHaveBeenCalledOnce();
  });

  it('closes the others where one cannot be closed, and tells why it could not', async () => {
    const closed = vi.fn(async () => undefined);
    const parts = [
      { name: 'one', close: () => Promise.reject(new Error('no room')) },
      { name: 'two', close: closed },
    ];
    await expect(stopWithin(null, parts, late)).rejects.toThrow('no room');
    expect(closed).toHaveBeenCalledOnce();
  });
});
