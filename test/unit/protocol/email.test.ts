import { expect, it } from 'vitest';
import { isEmailAddress } from '#protocol/email.ts';

it.each([
  ['mia@example.com', true],
  ['mia@example', false],
  ['mia example.com', false],
  ['<mia@example.com>', false],
  [`${'m'.repeat(242)}@example.com`, true],
  [`${'m'.repeat(243)}@example.com`, false],
])('%s is an address: %s', (text, is) => {
  expect(isEmailAddress(text)).toBe(is);
});
