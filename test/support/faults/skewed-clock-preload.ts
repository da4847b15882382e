import { openSync, readSync } from 'node:fs';

/** Loaded before all else in each thread: shifts `Date` by the milliseconds that a file holds as a double, from the next call on. */
const path = process.env['LONGSHORE_TEST_CLOCK'];
if (path === undefined) throw new Error('LONGSHORE_TEST_CLOCK names no file.');
const RealDate = Date;
const file = openSync(path, 'r');
const shift = new Float64Array(1);
// Read at each call: a look every so often comes late on a busy machine, and the test would go on by the old time.
const now = (): number => {
  readSync(file, shift, 0, shift.byteLength, 0);
  return RealDate.now() + shift[0]!;
};

class ShiftedDate extends RealDate {
  constructor(...given: [] | [string | number | Date]) {
    if (given.length === 0) super(now());
    else super(...given);
  }
  static override now(): number {
    return now();
  }
}
globalThis.Date = ShiftedDate as DateConstructor;
