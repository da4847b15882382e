import { describe, expect, test } from 'vitest';
import { isKey } from '#storage/keys.ts';
import { packedKey, parsePackedKey } from '#storage/packed-key.ts';

const segment = '0123456789abcdef0123456789abcdef';

describe('packed keys', () => {
  test.each([
    { segment, offset: 0, length: 0 },
    { segment, offset: 8_388_608, length: 262_144 },
  ])('say where the bytes are, and are keys: %j', (place) => {
    const key = packedKey(place);
    expect(isKey(key)).toBe(true);
    expect(parsePackedKey(key)).toEqual(place);
  });

  test.each([
    '',
    segment,
    `${segment}.1`,
    `${segment}.01.2`,
    `${segment}.1.-2`,
    `${segment}.1.2.3`,
    `${segment}.1.2/3`,
    `${segment.toUpperCase()}.1.2`,
    `${segment.slice(1)}.1.2`,
    '0197f3c2-0000-7000-8000-000000000000',
  ])('%j is none', (key) => expect(parsePackedKey(key)).toBeNull());
});
