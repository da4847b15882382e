import { describe, expect, it, vi } from 'vitest';
import { stopWithin } from '#main/stop-within.ts';

const never = new Promise<never>(() => undefined);

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
    await stopWithin(1_000, [part('one'), part('two')]);
    expect(seen).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
  });

  it('names the part that it has waited for', async () => {
    const closed = vi.fn(async () => undefined);
    const stopping = stopWithin(20, [
      { name: 'The local API', close: closed },
      { name: 'The transfer engine', close: () => never },
    ]);
    await expect(stopping).rejects.toThrow(/^The transfer engine has not stopped within 0\.02 s, .*transfers go on at the next start\.$/);
    expect(closed).toHaveBeenCalledOnce();
  });

  it('closes the others where one cannot be closed, and tells why it could not', async () => {
    const closed = vi.fn(async () => undefined);
    const stopping = stopWithin(1_000, [
      { name: 'one', close: () => Promise.reject(new Error('no room')) },
      { name: 'two', close: closed },
    ]);
    await expect(stopping).rejects.toThrow('no room');
    expect(closed).toHaveBeenCalledOnce();
  });
});
