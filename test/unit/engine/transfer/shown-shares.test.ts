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

  it('of a transfer that was removed is forgotten', () => {
    const shares = createShownShares();
    shares.of(at(50, 100), true);
    shares.forget('a');
    expect(shares.of(at(50, 200), true)).toBe(0.25);
  });
});
