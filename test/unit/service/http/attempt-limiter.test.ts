import { describe, expect, it } from 'vitest';
import { createAttemptLimiter } from '#service/http/attempt-limiter.ts';

const wrong = async () => false;
const right = async () => true;

function setUp(max = 3) {
  const clock = { at: new Date('2026-01-01T00:00:00Z') };
  return { clock, limiter: createAttemptLimiter({ max, windowSeconds: 60 }, () => clock.at) };
}

describe('the attempt limiter', () => {
  it('refuses even the right answer after too many wrong ones, and says for how long', async () => {
    const { clock, limiter } = setUp();
    const mia = [{ name: 'mia' }];
    for (let i = 0; i < 3; i += 1) expect(await limiter.attempt(mia, wrong)).toBe(false);
    clock.at = new Date('2026-01-01T00:00:05Z');
    await expect(limiter.attempt(mia, right)).rejects.toMatchObject({ error: 'rate_limited', details: { seconds: 15 } });
    expect(await limiter.attempt([{ name: 'ben' }], right)).toBe(true);
  });

  it('forgets wrong answers one after another, and all of them within its window', async () => {
    const { clock, limiter } = setUp(3);
    const mia = [{ name: 'mia' }];
    for (let i = 0; i < 3; i += 1) await limiter.attempt(mia, wrong);
    clock.at = new Date('2026-01-01T00:00:20Z');
    expect(await limiter.attempt(mia, wrong)).toBe(false);
    await expect(limiter.attempt(mia, right)).rejects.toMatchObject({ error: 'rate_limited' });
    clock.at = new Date('2026-01-01T00:01:20Z');
    for (let i = 0; i < 3; i += 1) expect(await limiter.attempt(mia, wrong)).toBe(false);
    await expect(limiter.attempt(mia, right)).rejects.toMatchObject({ error: 'rate_limited' });
  });

  it('forgets faster where that is set', async () => {
    const { clock, limiter } = setUp(1);
    const device = [{ name: 'device', drainFactor: 20 }];
    await limiter.attempt(device, wrong);
    clock.at = new Date('2026-01-01T00:00:03Z');
    expect(await limiter.attempt(device, right)).toBe(true);
  });

  it('never counts right answers', async () => {
    const { limiter } = setUp(1);
    for (let i = 0; i < 5; i += 1) expect(await limiter.attempt([{ name: 'mia' }], right)).toBe(true);
  });

  it('compares no more at once than it would one after another', async () => {
    const { limiter } = setUp(3);
    const gate = Promise.withResolvers<boolean>();
    let compared = 0;
    const attempts = Array.from({ length: 10 }, () =>
      limiter.attempt([{ name: 'mia' }], () => {
        compared += 1;
        return gate.promise;
      }),
    );
    gate.resolve(false);
    const results = await Promise.allSettled(attempts);
    expect(compared).toBe(3);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(7);
  });

  it('takes each subject by its own burst, and counts a guess for every subject', async () => {
    const { limiter } = setUp(1);
    const from = (address: string) => [{ name: `mia from ${address}` }, { name: 'mia', burstFactor: 2 }];
    await limiter.attempt(from('a'), wrong);
    await expect(limiter.attempt(from('a'), right)).rejects.toMatchObject({ error: 'rate_limited' });
    await limiter.attempt(from('b'), wrong);
    await expect(limiter.attempt(from('c'), right)).rejects.toMatchObject({ error: 'rate_limited' });
  });

  it('counts a comparison that throws as neither right nor wrong', async () => {
    const { limiter } = setUp(1);
    await expect(limiter.attempt([{ name: 'mia' }], () => Promise.reject(new Error('no database')))).rejects.toThrow('no database');
    expect(await limiter.attempt([{ name: 'mia' }], right)).toBe(true);
  });
});
