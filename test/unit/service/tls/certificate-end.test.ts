import { expect, test } from 'vitest';
import { certificateEndCheck } from '#service/tls/certificate-end.ts';

const end = new Date('2026-12-01T12:00:00Z');

test.each([
  ['2026-11-17T11:59:59Z', null],
  ['2026-11-17T12:00:01Z', 'certificate_ends'],
  ['2026-12-02T00:00:00Z', 'certificate_ends'],
])('at %s', async (now, error) => {
  const problem = await certificateEndCheck(
    () => end,
    () => new Date(now),
  )();
  expect(problem?.error ?? null).toBe(error);
  if (problem) expect(problem.message).toContain('2026-12-01');
});
