import { describe, expect, it } from 'vitest';
import { acceptsType, portalRestrictions } from '#protocol/portal-restrictions.ts';

const portal = {
  package_size_restriction_enabled: true,
  max_package_size: '100',
  max_file_size: 50,
  max_file_count: 3,
  file_type_restriction_enabled: true,
  file_types: ['.MOV', '.ÄÖ'],
};

describe('what a Portal takes', () => {
  it('is as its switches say', () => {
    expect(portalRestrictions(portal)).toEqual({ maxPackageSize: 100, maxFileSize: 50, maxFileCount: 3, fileTypes: ['.mov', '.äö'] });
    const free = portalRestrictions({ ...portal, package_size_restriction_enabled: false, file_type_restriction_enabled: false });
    expect(free).toEqual({ maxPackageSize: 0, maxFileSize: 0, maxFileCount: 0, fileTypes: null });
  });

  it.each([
    ['a.mov', true],
    ['a.b.MOV', true],
    ['x.ÄÖ', true],
    ['a', false],
    ['.mov', false],
    ['a.', false],
    ['mov', false],
  ])('%s: %s', (name, accepted) => {
    expect(acceptsType(portalRestrictions(portal), name)).toBe(accepted);
    expect(acceptsType({ fileTypes: null }, name)).toBe(true);
  });
});
