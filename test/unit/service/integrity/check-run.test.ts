import type pg from 'pg';
import { expect, it } from 'vitest';
import { createRun } from '#service/integrity/check.ts';
import { type CheckState, stateFormat } from '#service/integrity/check-state.ts';

it('keeps nothing of what it does after its lock is lost: another run may have begun', async () => {
  const begun: CheckState = {
    format: stateFormat,
    deep: true,
    begun_at: '2026-11-20T18:04:11.000Z',
    last_file: '',
    totals: { objects: 2, bytes: 2 },
    after: '',
    under_way: {},
    listed: true,
    unneeded: '',
    packages: '',
    counts: {},
  };
  const kept: (string | null)[] = [];
  const lost = new AbortController();
  const journal = { write: async ({ unneeded }: CheckState) => void kept.push(unneeded) };
  // Without findings nothing is asked of the database.
  const run = createRun({} as pg.Client, begun, journal, { onFinding: () => undefined, now: () => new Date() }, [], lost.signal);
  await run.reached({ unneeded: 'a' });
  await run.keep();
  lost.abort(new Error('The connection is gone.'));
  await run.reached({ unneeded: 'b' });
  await expect(run.keep()).rejects.toThrow('The connection is gone.');
  expect(kept).toEqual(['a']);
});
