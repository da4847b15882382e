import { expect, it } from 'vitest';
import { liftClear } from '../../../../renderer/transfers/actions/clear-place.ts';

const box = { top: 600, bottom: 660, left: 100, right: 300 };
const at = (top: number, left = 200) => ({ top, bottom: top + 40, left, right: left + 80 });

it('stays where nothing is below it', () => {
  expect(liftClear(box, [])).toBe(0);
  expect(liftClear(box, [at(500), at(660), at(610, 300)])).toBe(0);
});

it('rises above what it would cover, and above what it would cover there', () => {
  expect(liftClear(box, [at(620)])).toBe(48);
  expect(liftClear(box, [at(560), at(620)])).toBe(108);
});

it('stays where no place on the screen is clear', () => {
  expect(
    liftClear(
      box,
      [40, 120, 200, 280, 360, 440, 520, 600].map((top) => at(top)),
    ),
  ).toBe(0);
});
