import { describe, expect, it } from 'vitest';
import { parseBytes, parseQuota, parseRate } from '#main/cli/sizes.ts';

describe('sizes', () => {
  it('are bytes, by units of tens or of twos', () => {
    expect([parseQuota('500GB'), parseQuota('2TiB'), parseQuota('0'), parseQuota('none')]).toEqual([5e11, 2 * 1024 ** 4, 0, null]);
    expect([parseRate('50MB'), parseRate('none')]).toEqual([5e7, null]);
    expect([parseBytes('25MiB'), parseBytes('1000')]).toEqual([25 * 1024 ** 2, 1000]);
  });

  it('are refused in words where nothing, or no limit, makes no sense', () => {
    for (const text of ['none', '0', '25 megabytes', '']) expect(() => parseBytes(text)).toThrow(/^Give a size like/);
    expect(() => parseRate('0')).toThrow(/more than nothing/);
  });
});
