import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { qrMatrix } from '#ui/qr/matrix.ts';

/** Codes that a reader of another make has read, as they were when it did. */
it.each([
  ['https://longshore.example.com/p/northlight', 29, '3d07b798be4ffb9e'],
  ['otpauth://totp/Longshore:mia@example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Longshore', 41, '6411d479af835b4d'],
  ['Grüße ☕', 21, '1c5824987c684e56'],
  ['a'.repeat(300), 69, '48dd11bfa68b09ee'],
])('draws %.40s as it was read', (text, size, digest) => {
  const rows = qrMatrix(text);
  expect(rows).toHaveLength(size);
  expect(hash('sha256', rows.map((row) => row.map(Number).join('')).join('\n')).slice(0, 16)).toBe(digest);
});

it('is as small as the text allows, and ends where a code would be too dense for a screen', () => {
  expect([1, 14, 15, 26, 27, 412].map((length) => qrMatrix('a'.repeat(length)).length)).toEqual([21, 21, 25, 25, 29, 77]);
  expect(() => qrMatrix('a'.repeat(413))).toThrow(RangeError);
});
