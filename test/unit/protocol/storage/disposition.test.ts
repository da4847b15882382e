import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attachment } from '#protocol/storage/disposition.ts';
import { anyCharacter } from '#test/support/any-text.ts';

describe('Content-Disposition', () => {
  test.each([
    ['a.mov', `attachment; filename="a.mov"; filename*=UTF-8''a.mov`],
    ['é"\\%.txt', `attachment; filename="____.txt"; filename*=UTF-8''%C3%A9%22%5C%25.txt`],
    ['日本 (1).mov', `attachment; filename="__ (1).mov"; filename*=UTF-8''%E6%97%A5%E6%9C%AC%20%281%29.mov`],
  ])('of %s', (name, header) => {
    expect(attachment(name)).toBe(header);
  });

  test('can never break out of its header', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (name) => {
        const header = attachment(name);
        expect(header).toMatch(/^attachment; filename="[\x20-\x21\x23-\x5b\x5d-\x7e]*"; filename\*=UTF-8''[A-Za-z0-9%._~-]*$/);
        expect(decodeURIComponent(header.slice(header.indexOf("''") + 2))).toBe(name.toWellFormed());
      }),
    );
  });
});
