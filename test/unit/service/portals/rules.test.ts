import { describe, expect, it } from 'vitest';
import { refusalOf, restrictionsOf } from '#service/portals/rules.ts';

const portal = {
  package_size_restriction_enabled: true,
  max_package_size: 100,
  max_file_size: 50,
  max_file_count: 3,
  file_type_restriction_enabled: true,
  file_types: ['.MOV', '.ÄÖ'],
};
const free = { ...portal, package_size_restriction_enabled: false, file_type_restriction_enabled: false };

describe('restrictionsOf', () => {
  it('is null where nothing is enabled, or every limit is 0', () => {
    expect(restrictionsOf(free)).toBeNull();
    const zeros = { max_package_size: 0, max_file_size: 0, max_file_count: 0 };
    expect(restrictionsOf({ ...free, ...zeros, package_size_restriction_enabled: true })).toBeNull();
    expect(restrictionsOf({ ...free, file_type_restriction_enabled: true })).toMatchObject({ maxFileCount: 0, fileTypes: ['.mov', '.äö'] });
  });
});

describe('refusalOf', () => {
  const restrictions = restrictionsOf(portal)!;
  const file = (name: string, size: number | null) => ({ kind: 'file' as const, name, size });
  it.each<[string, ReturnType<typeof file>, number, number, RegExp | null]>([
    ['all that fits', file('a.mov', 50), 2, 50, null],
    ['of an unknown size', file('a.äÖ', null), 2, 100, null],
    ['of another type', file('a.txt', 1), 0, 0, /^name: .*\.mov, \.äö/],
    ['too large', file('a.mov', 51), 0, 0, /at most 50 bytes\.$/],
    ['one too many', file('a.mov', 0), 3, 0, /at most 3 files/],
    ['too much in all', file('a.mov', 50), 0, 51, /49 of them are left/],
    ['too much already', file('a.mov', 1), 0, 120, /and 0 of them are left/],
  ])('%s', (_, asked, files, bytes, message) => {
    const refusal = refusalOf(restrictions, asked, { files, bytes });
    if (message) expect(refusal?.message).toMatch(message);
    else expect(refusal).toBeNull();
  });

  it('folders do not count', () => {
    expect(refusalOf(restrictions, { kind: 'directory', name: 'x.txt', size: 0 }, { files: 3, bytes: 100 })).toBeNull();
  });
});
