import { expect, it } from 'vitest';
import { dueAtOf, typedMoment } from '#renderer/transfers/detail/typed-moment.ts';

it('a deadline in the field is the one that was set, to the minute', () => {
  const iso = '2026-11-20T18:30:00.000Z';
  expect(dueAtOf(typedMoment(iso), 0)).toBe(iso);
});

it('an empty field takes it away; what is no time, or has passed, is wrong', () => {
  expect(dueAtOf('', 0)).toBeNull();
  expect(dueAtOf('soon', 0)).toBeUndefined();
  expect(dueAtOf('2026-11-20T18:30', Date.UTC(2027, 0, 1))).toBeUndefined();
});
