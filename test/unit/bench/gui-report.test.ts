import { expect, it } from 'vitest';
import { guiReport } from '#bench/report/gui.ts';

it('says what was measured of the agent at rest and of its page', () => {
  const text = guiReport({
    transfers: 100_000,
    resting: [{ transfers: 0, readySeconds: [1, 2, 3], readyCpuSeconds: [1.1, 1.2, 1.3], idlePercent: 0.04, residentBytes: 120e6 }],
    page: {
      paintSeconds: [0.2],
      rowsSeconds: [0.4],
      scrolls: [{ name: 'the wheel', frames: 594, dropped: 6, longestMs: 33.4, filledMs: 80 }],
      latencyMs: [10, 20, 30],
      heapBytes: 12.34e6,
      rowsInPage: 24,
    },
    version: '1',
    loadBefore: 0.5,
  });
  expect(text).toContain('| 0 | 2.00 (1.50–2.50) | 1.20 (1.15–1.25) | 0.0 | 120 |');
  expect(text).toContain('| the wheel | 594 | 6 (1.0 %) | 33 | 80 |');
  expect(text).toContain('| first rows, s | 0.40 |');
  expect(text).toMatch(/p50 \| 20 \|[\s\S]*p99 \| 30 \|/);
});
