import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromWire, toWire } from '#service/accounts/times.ts';

describe('a date-time on the wire', () => {
  it('is what JavaScript writes, whatever the moment', () => {
    const near = fc.date({ noInvalidDate: true, min: new Date('0990-01-01'), max: new Date('+010010-01-01T00:00:00.000Z') });
    fc.assert(
      fc.property(fc.oneof(near, fc.date({ noInvalidDate: true })), (at) => {
        expect(toWire(at)).toBe(at.toISOString());
      }),
    );
  });

  it('is the zero date-time where there is none, which reads as none', () => {
    expect(toWire(null)).toBe('0001-01-01T00:00:00.000Z');
    expect(fromWire(toWire(null))).toBeNull();
  });

  it('is not made of what is no moment', () => {
    expect(() => toWire(new Date(Number.NaN))).toThrow(RangeError);
  });
});
