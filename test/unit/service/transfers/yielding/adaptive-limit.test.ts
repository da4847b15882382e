import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAdaptiveLimit } from '#service/transfers/yielding/adaptive-limit.ts';
import { watchDelay } from '#service/transfers/yielding/delay-watch.ts';
import type { ApiWindow } from '#service/transfers/yielding/next-share.ts';

function startOne() {
  const state = { window: { delay: 0.2, calls: 10 } as ApiWindow, isWatched: false, watched: 0 };
  const told: number[] = [];
  const api = {
    calls: () => state.window.calls,
    begin() {
      state.isWatched = true;
      state.watched += 1;
    },
    end() {
      state.isWatched = false;
      return state.window;
    },
  };
  const limit = createAdaptiveLimit(watchDelay(api), (share) => void told.push(share));
  limit.start();
  return { limit, told, state };
}

describe('the limit of transfers', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000);

  it('sinks while the API is late, rises again, and is none when nothing is transferred', async () => {
    const { limit, told, state } = startOne();
    state.window = { delay: 0.2, calls: 0 };
    limit.running(1);
    await pass(2);
    expect(told).toEqual([]);
    state.window = { delay: 5, calls: 10 };
    await pass(6);
    expect(told).toEqual([0.5, 0.25, 0.125, 0.0625]);
    state.window = { delay: 0.2, calls: 10 };
    limit.running(2);
    await pass(1);
    expect(limit.share()).toBeCloseTo(0.0825);
    limit.running(0);
    expect(told.at(-1)).toBe(1);
    state.window = { delay: 5, calls: 10 };
    await pass(120);
    expect(limit.share()).toBe(1);
  });

  it('begins with one part where people call, and goes up from there', async () => {
    const { limit, told } = startOne();
    limit.running(1);
    expect(told).toEqual([1 / 16]);
    await pass(60);
    expect(limit.share()).toBe(1);
  });

  it('goes by the least of the last delays at rest, and not by what it was while something was transferred', async () => {
    const { limit, told, state } = startOne();
    for (const delay of [1.5, 90, 4, 20, 30, 9, 9, 9, 9, 9]) {
      state.window = { delay, calls: 0 };
      await pass(11);
    }
    limit.running(1);
    state.window = { delay: 7.9, calls: 10 };
    await pass(60);
    expect(told).toEqual([]);
    state.window = { delay: 8.1, calls: 10 };
    await pass(1);
    expect(told).toEqual([0.5]);
  });

  it('looks a second in eleven while nothing is transferred, and not at all once it is stopped', async () => {
    const { limit, state } = startOne();
    await pass(110);
    expect(state.watched).toBe(10);
    limit.running(1);
    limit.stop();
    expect(state.isWatched).toBe(false);
    const before = state.watched;
    limit.running(0);
    limit.running(1);
    await pass(60);
    expect(state.watched).toBe(before);
  });
});
