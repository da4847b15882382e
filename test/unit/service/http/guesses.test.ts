import { describe, expect, it } from 'vitest';
import { createGuesses } from '#service/http/guesses.ts';

const wrong = async () => false;
const right = async () => true;

function setUp(max = 3) {
  const clock = { at: new Date('2026-01-01T00:00:00Z') };
  return { clock, guesses: createGuesses({ max, windowSeconds: 60 }, () => clock.at) };
}

describe('guesses', () => {
  it('refuses even the right answer after too many wrong ones, and says for how long', async () => {
    const { clock, guesses } = setUp();
    const mia = [{ name: 'mia' }];
    for (let i = 0; i < 3; i += 1) expect(await guesses.judge(mia, wrong)).toBe(false);
    clock.at = new Date('2026-01-01T00:00:05Z');
    await expect(guesses.judge(mia, right)).rejects.toMatchObject({ error: 'rate_limited', details: { seconds: 15 } });
    expect(await guesses.judge([{ name: 'ben' }], right)).toBe(true);
  });

  it('forgets one after another, and all in its window', async () => {
    const { clock, guesses } = setUp(3);
    const mia = [{ name: 'mia' }];
    for (let i = 0; i < 3; i += 1) await guesses.judge(mia, wrong);
    clock.at = new Date('2026-01-01T00:00:20Z');
    expect(await guesses.judge(mia, wrong)).toBe(false);
    await expect(guesses.judge(mia, right)).rejects.toMatchObject({ error: 'rate_limited' });
    clock.at = new Date('2026-01-01T00:01:20Z');
    for (let i = 0; i < 3; i += 1) expect(await guesses.judge(mia, wrong)).toBe(false);
    await expect(guesses.judge(mia, right)).rejects.toMatchObject({ error: 'rate_limited' });
  });

  it('forgets faster where it is told to', async () => {
    const { clock, guesses } = setUp(1);
    const device = [{ name: 'device', pace: 20 }];
    await guesses.judge(device, wrong);
    clock.at = new Date('2026-01-01T00:00:03Z');
    expect(await guesses.judge(device, right)).toBe(true);
  });

  it('never counts right answers', async () => {
    const { guesses } = setUp(1);
    for (let i = 0; i < 5; i += 1) expect(await guesses.judge([{ name: 'mia' }], right)).toBe(true);
  });

  it('compares no more at once than it would one after another', async () => {
    const { guesses } = setUp(3);
    const gate = Promise.withResolvers<boolean>();
    let compared = 0;
    const attempts = Array.from({ length: 10 }, () =>
      guesses.judge([{ name: 'mia' }], () => {
        compared += 1;
        return gate.promise;
      }),
    );
    gate.resolve(false);
    const results = await Promise.allSettled(attempts);
    expect(compared).toBe(3);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(7);
  });

  it('gives a subject its own allowance, and counts a guess for every subject', async () => {
    const { guesses } = setUp(1);
    const from = (address: string) => [{ name: `mia from ${address}` }, { name: 'mia', allowance: 2 }];
    await guesses.judge(from('a'), wrong);
    await expect(guesses.judge(from('a'), right)).rejects.toMatchObject({ error: 'rate_limited' });
    await guesses.judge(from('b'), wrong);
    await expect(guesses.judge(from('c'), right)).rejects.toMatchObject({ error: 'rate_limited' });
  });

  it('takes a comparison that throws for neither right nor wrong', async () => {
    const { guesses } = setUp(1);
    await expect(guesses.judge([{ name: 'mia' }], () => Promise.reject(new Error('no database')))).rejects.toThrow('no database');
    expect(await guesses.judge([{ name: 'mia' }], right)).toBe(true);
  });
});
