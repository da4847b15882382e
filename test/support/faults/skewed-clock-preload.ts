import { readFileSync } from 'node:fs';

/** Loaded before all else in each thread: shifts `Date` by the milliseconds that a file says, whenever it says others. */
const file = process.env['LONGSHORE_TEST_CLOCK'];
if (file === undefined) throw new Error('LONGSHORE_TEST_CLOCK names no file.');
const RealDate = Date;
let shift = 0;
const look = (): void => {
  shift = Number(readFileSync(file, 'utf8')) || shift;
};
look();
setInterval(look, 20).unref();

class ShiftedDate extends RealDate {
  constructor(...given: [] | [string | number | Date]) {
    if (given.length === 0) super(RealDate.now() + shift);
    else super(...given);
  }
  static override now(): number {
    return RealDate.now() + shift;
  }
}
globalThis.Date = ShiftedDate as DateConstructor;
