import { describe, expect, it } from 'vitest';
import { createShownShares } from '#engine/transfer/shown-shares.ts';
import { sampleTransfer } from '#test/support/browser/samples.ts';

describe('how much is shown as done', () => {
  const at = (bytes: number, total_bytes: number, more = {}) => sampleTransfer({ id: 'a', bytes, total_bytes, ...more });

  it('stands still where a file has become larger, until it is passed again', () => {
    const shares = createShownShares();
    const seen = [at(50, 100), at(50, 200), at(60, 200), at(120, 200)].map((one) => shares.of(one, true));
    expect(seen).toEqual([0.5, 0.5, 0.5, 0.6]);
    expect(shares.of(at(120, 400), false)).toBe(0.6);
  });

  it('goes back with the bytes', () => {
    const shares = createShownShares();
    expect([at(50, 100), at(50, 200), at(10, 200), at(20, 200)].map((one) => shares.of(one, true))).toEqual([0.5, 0.5, 0.05, 0.1]);
  });

  it('is not there while the total grows, and counted anew after that', () => {
    const shares = createShownShares();
    const seen = [at(50, 100), at(50, 400, { total_grows: true }), at(50, 400)].map((one) => shares.of(one, true));
    expect(seen).toEqual([0.5, undefined, 0.125]);
  });

  it('is 1 only of what is complete, and counts files where there are no bytes', () => {
    const shares = createShownShares();
    const empty = { files: 1, total_files: 2 };
    expect([at(100, 100), at(100, 100, { state: 'complete' }), at(0, 0, empty)].map((one) => shares.of(one, true))).toEqual([
      0.999, 1, 0.5,
    ]);
  });

  it('is saved only where the counts alone would show less, and goes on from there', () => {
    const before = createShownShares();
    expect([at(50, 100), at(50, 200), at(60, 200)].map((one) => before.toSave(one, true))).toEqual([
      undefined,
      { done: 50, share: 0.5 },
      { done: 60, share: 0.5 },
    ]);
    const after = createShownShares();
    const saved = { done: 60, share: 0.5 };
    expect(after.of(at(60, 200), false, saved)).toBe(0.5);
    expect([at(70, 200), at(120, 200)].map((one) => after.of(one, true, saved))).toEqual([0.5, 0.6]);
    expect(after.toSave(at(120, 200), true, saved)).toBeUndefined();
  });

  it('is not taken from what was saved where bytes are lost, or the total grows', () => {
    const saved = { done: 60, share: 0.5 };
    expect(createShownShares().of(at(20, 200), true, saved)).toBe(0.1);
    expect(createShownShares().toSave(at(60, 200, { total_grows: true }), true, saved)).toBeUndefined();
    expect(createShownShares().of(at(60, 200, { state: 'complete' }), false, saved)).toBe(1);
  });

  it('of a transfer that was removed is forgotten', () => {
    const shares = createShownShares();
    shares.of(at(50, 100), true);
    shares.forget('a');
    expect(shares.of(at(50, 200), true)).toBe(0.25);
  });
});
