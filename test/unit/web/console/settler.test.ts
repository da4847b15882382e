import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSettler } from '#web/console/app/settler.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('runs at once, then at most every so often for all that came meanwhile', () => {
  const runs: string[] = [];
  const settler = createSettler<string>({ milliseconds: 3_000, merge: (a, b) => a + b, run: (all) => runs.push(all) });
  settler.add('a');
  expect(runs).toEqual(['a']);
  settler.add('b');
  settler.add('c');
  vi.advanceTimersByTime(2_999);
  expect(runs).toEqual(['a']);
  vi.advanceTimersByTime(1);
  expect(runs).toEqual(['a', 'bc']);
  vi.advanceTimersByTime(10_000);
  settler.add('d');
  expect(runs).toEqual(['a', 'bc', 'd']);
  settler.add('e');
  settler.finish();
  expect(runs).toEqual(['a', 'bc', 'd', 'e']);
  settler.finish();
  vi.advanceTimersByTime(10_000);
  expect(runs).toEqual(['a', 'bc', 'd', 'e']);
});
