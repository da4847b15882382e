import { describe, expect, it } from 'vitest';
import { outcomeOf } from '#service/webhooks/outcome.ts';

describe('the outcome of an attempt', () => {
  it.each([200, 201, 202, 204, 299])('%i: delivered', (status) => {
    for (const attempt of [1, 5]) expect(outcomeOf(attempt, { status })).toEqual({ state: 'delivered' });
  });

  it.each([100, 301, 302, 307, 308, 304, 400, 401, 404, 408, 429, 500, 503])('%i: retried four times with backoff', (status) => {
    const outcomes = [1, 2, 3, 4, 5].map((attempt) => outcomeOf(attempt, { status }));
    expect(outcomes.map(({ state }) => state)).toEqual(['failed', 'failed', 'failed', 'failed', 'gave_up']);
    const pauses = outcomes.map((outcome) => (outcome.state === 'failed' ? outcome.nextInSeconds : 0));
    const times = [0, 1, 2, 3, 4].map((n) => pauses.slice(0, n).reduce((sum, pause) => sum + pause, 0));
    expect(times).toEqual([0, 10, 60, 600, 3600]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ error: expect.stringContaining(`It answered ${status}`) });
  });

  it('410: the webhook is turned off at once', () => {
    expect(outcomeOf(1, { status: 410 })).toMatchObject({ state: 'gave_up', turnOff: true });
  });

  it('no answer: retried, with the reason', () => {
    expect(outcomeOf(2, { error: 'The connection was refused.' })).toEqual({
      state: 'failed',
      error: 'The connection was refused.',
      nextInSeconds: 50,
    });
    expect(outcomeOf(5, { error: 'The connection was refused.' })).toEqual({
      state: 'gave_up',
      error: 'The connection was refused.',
      turnOff: false,
    });
  });

  it('a redirect: the message says that it is not followed', () => {
    expect(outcomeOf(5, { status: 302 })).toMatchObject({ error: 'It answered 302; redirects are not followed.' });
  });
});
