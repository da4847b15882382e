import { expect, it } from 'vitest';
import { detailText } from '#web/console/audit-log/detail-text.ts';

const words = {
  changed: (before: string, after: string) => `${before} → ${after}`,
  yes: 'yes',
  no: 'no',
  moment: (iso: string) => `at ${iso.slice(0, 10)}`,
};

it.each([
  [false, 'no'],
  [{ before: false, after: true }, 'no → yes'],
  ['2026-12-08T00:48:44.116Z', 'at 2026-12-08'],
  ['2026-12-08', '2026-12-08'],
  [['a', true], 'a, yes'],
  [0, '0'],
  ['', '–'],
  [{ name: 'Roll', old: null }, 'name: Roll, old: –'],
])('the detail %j of an entry is read as %s', (value, text) => {
  expect(detailText(value, words)).toBe(text);
});
