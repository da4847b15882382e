import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startDeadline } from '#net/deadline.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('its time is up', () => {
  const { signal, isOver } = startDeadline(new AbortController().signal, 1_000);
  vi.advanceTimersByTime(999);
  expect([signal.aborted, isOver()]).toEqual([false, false]);
  vi.advanceTimersByTime(1);
  expect([signal.aborted, isOver(), (signal.reason as Error).name]).toEqual([true, true, 'TimeoutError']);
});

test('its caller stops, before or after it began', () => {
  const caller = new AbortController();
  const { signal, isOver } = startDeadline(caller.signal, 1_000);
  caller.abort(new Error('left'));
  vi.advanceTimersByTime(1_000);
  expect([signal.reason, isOver()]).toEqual([new Error('left'), false]);
  expect(startDeadline(caller.signal, 1_000).signal.reason).toEqual(new Error('left'));
});

test('once it has ended nothing is held: no timer, and nothing of the caller’s signal', () => {
  const caller = new AbortController();
  const { signal, isOver, end } = startDeadline(caller.signal, 1_000);
  end();
  expect(vi.getTimerCount()).toBe(0);
  expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
  caller.abort();
  expect([signal.aborted, isOver()]).toEqual([false, false]);
});
