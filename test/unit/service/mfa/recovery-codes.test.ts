import { expect, it } from 'vitest';
import { hashRecoveryCode, newRecoveryCodes, normaliseCode } from '#service/mfa/recovery-codes.ts';

it('makes ten different codes in letters and digits that are hard to mix up', () => {
  const codes = newRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^([a-km-np-z2-9]{4}-){3}[a-km-np-z2-9]{4}$/);
});

it('compares a code however it is typed', () => {
  expect(normaliseCode(' K7QD 3mzx-w9tc\thb2e ')).toBe('k7qd3mzxw9tchb2e');
  expect(hashRecoveryCode('K7QD 3MZX W9TC HB2E')).toEqual(hashRecoveryCode('k7qd-3mzx-w9tc-hb2e'));
  expect(hashRecoveryCode('k7qd-3mzx-w9tc-hb2f')).not.toEqual(hashRecoveryCode('k7qd-3mzx-w9tc-hb2e'));
});
