import { describe, expect, it } from 'vitest';
import { CodeMissing, loadOnce } from '#web/common/lazy-load.ts';

describe('a part of a page that comes later', () => {
  it('is loaded once, whoever asks', async () => {
    let loads = 0;
    const load = loadOnce(async () => ++loads);
    expect(await Promise.all([load(), load()])).toEqual([1, 1]);
    expect(await load()).toBe(1);
  });

  it('is loaded anew after it did not come', async () => {
    const failure = new TypeError('Failed to fetch dynamically imported module');
    const answers: (() => Promise<string>)[] = [() => Promise.reject(failure), () => Promise.resolve('there')];
    const load = loadOnce(() => answers.shift()!());
    const first = await Promise.allSettled([load(), load()]);
    for (const one of first) {
      expect(one.status).toBe('rejected');
      expect((one as PromiseRejectedResult).reason).toBeInstanceOf(CodeMissing);
      expect((one as PromiseRejectedResult).reason.cause).toBe(failure);
    }
    expect([await load(), await load()]).toEqual(['there', 'there']);
  });
});
