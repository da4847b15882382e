import { expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { withNumbers } from '#web/inline-limits.ts';

it.each([
  ['size > limits.filesPerBatch', `size > (${limits.filesPerBatch})`],
  ['{ max: limits.passwordLength.max }', `{ max: (${limits.passwordLength.max}) }`],
  ['limits.nameLength.toFixed()', `(${limits.nameLength}).toFixed()`],
  // Of another object, of none, or a value that is not a number.
  ['storage.limits.nameLength', 'storage.limits.nameLength'],
  ['mylimits.nameLength', 'mylimits.nameLength'],
  ['limits.nothing', 'limits.nothing'],
  ['length(limits.passwordLength)', 'length(limits.passwordLength)'],
])('%s becomes %s', (code, inlined) => {
  expect(withNumbers(code)).toBe(inlined);
});
