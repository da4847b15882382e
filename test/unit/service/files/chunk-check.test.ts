import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Claim, checkChunks, checkClaim, claimOf, digestOfParts, fingerprint, objectAgrees } from '#service/files/chunk-check.ts';
import { objectDigest } from '#storage/digests.ts';
import type { StoredPart } from '#storage/ports.ts';
import { runs } from '#test/support/faults/seeds.ts';

const claim = (chunks: readonly (readonly [number, string])[], size = 25, chunkSize = 10, declared: number | null = null): Claim => ({
  size,
  declared,
  chunkSize,
  chunks: chunks.map(([number, etag]) => ({ number, etag })),
});
const whole = claim([
  [1, 'a'],
  [2, 'b'],
  [3, 'c'],
]);
const stored: StoredPart[] = [
  { partNumber: 1, etag: 'a', size: 10 },
  { partNumber: 2, etag: 'b', size: 10 },
  { partNumber: 3, etag: 'c', size: 5 },
];
const without = (number: number) => stored.filter((part) => part.partNumber !== number);
const changed = (number: number, change: Partial<StoredPart>) =>
  stored.map((part) => (part.partNumber === number ? { ...part, ...change } : part));

describe('a claim against the storage', () => {
  it('that agrees gives the parts to join, without those that it does not name', () => {
    expect(checkChunks(whole, stored)).toEqual({ ok: true, parts: stored });
    expect(checkChunks(whole, [...stored, { partNumber: 4, etag: 'd', size: 10 }])).toEqual({ ok: true, parts: stored });
  });

  it.each([
    ['the storage lacks one', whole, without(2), 2, 'does not have it'],
    ['the storage lacks all', whole, [], 1, 'does not have it'],
    ['another etag', whole, changed(3, { etag: 'x' }), 3, 'its etag at the storage is x, not c'],
    ['fewer bytes', whole, changed(3, { size: 4 }), 3, 'has 4 bytes of it, and it should have 5'],
    [
      'a chunk left out',
      claim([
        [1, 'a'],
        [3, 'c'],
      ]),
      stored,
      2,
      'not named',
    ],
    [
      'the last left out',
      claim([
        [1, 'a'],
        [2, 'b'],
      ]),
      stored,
      3,
      'not named',
    ],
    [
      'a chunk too many',
      claim([
        [1, 'a'],
        [2, 'b'],
        [3, 'c'],
        [4, 'd'],
      ]),
      stored,
      4,
      'has only 3',
    ],
    [
      'one named twice',
      claim([
        [1, 'a'],
        [1, 'a'],
        [2, 'b'],
        [3, 'c'],
      ]),
      stored,
      1,
      'named twice',
    ],
    [
      'a smaller total',
      claim(
        [
          [1, 'a'],
          [2, 'b'],
          [3, 'c'],
        ],
        24,
      ),
      stored,
      3,
      'it should have 4',
    ],
    [
      'a larger total',
      claim(
        [
          [1, 'a'],
          [2, 'b'],
          [3, 'c'],
        ],
        31,
      ),
      stored,
      3,
      'it should have 10',
    ],
    [
      'the first of two faults',
      claim([
        [1, 'x'],
        [3, 'c'],
      ]),
      stored,
      1,
      'its etag',
    ],
    [
      'a smaller total than declared',
      claim(
        [
          [1, 'a'],
          [2, 'b'],
          [3, 'c'],
        ],
        24,
        10,
        25,
      ),
      stored,
      3,
      'created with 25 bytes and is finalized with 24',
    ],
    [
      'a larger total than declared',
      claim(
        [
          [1, 'a'],
          [2, 'b'],
          [3, 'c'],
        ],
        30,
        10,
        25,
      ),
      stored,
      3,
      'created with 25 bytes and is finalized with 30',
    ],
    [
      'chunks for less than declared',
      claim(
        [
          [1, 'a'],
          [2, 'b'],
        ],
        20,
        10,
        25,
      ),
      stored,
      3,
      'not named',
    ],
    [
      'chunks for more than declared',
      claim(
        [
          [1, 'a'],
          [2, 'b'],
        ],
        20,
        10,
        10,
      ),
      stored,
      2,
      'has only 1',
    ],
    ['an empty file with bytes', claim([[1, 'a']], 0), stored.slice(0, 1), 1, 'it should have 0'],
  ])('%s: names the chunk', (_, claimed, held, chunk, detail) => {
    expect(checkChunks(claimed, held)).toEqual({ ok: false, chunk, detail: expect.stringContaining(detail) });
  });

  it('passes only when every chunk is stored', () => {
    let passed = 0;
    const chunk = fc.record({ etag: fc.constantFrom('a', 'b'), size: fc.integer({ min: 0, max: 4 }) });
    const scenario = fc.record({
      // Mostly whole files, so that some pass; then one thing or none is changed.
      full: fc.integer({ min: 0, max: 3 }),
      last: chunk,
      etags: fc.array(fc.constantFrom('a', 'b'), { minLength: 3, maxLength: 3 }),
      changed: fc.option(fc.record({ at: fc.integer({ min: 0, max: 3 }), chunk }), { nil: null }),
      missing: fc.option(fc.integer({ min: 0, max: 3 }), { nil: null, freq: 1 }),
      declared: fc.option(fc.integer({ min: 0, max: 16 }), { nil: null, freq: 2 }),
    });
    fc.assert(
      fc.property(scenario, ({ full, last, etags, changed, missing, declared }) => {
        const sent = [...etags.slice(0, full).map((etag) => ({ etag, size: 4 })), last].map((one, index) => ({
          partNumber: index + 1,
          ...one,
        }));
        const held = sent
          .map((one, index) => (changed?.at === index ? { ...one, ...changed.chunk } : one))
          .filter((_, index) => index !== missing);
        const size = sent.reduce((sum, one) => sum + one.size, 0);
        const extras = sent.map((one) => ({ part_number: String(one.partNumber), etag: one.etag }));
        const verdict = checkChunks(claimOf({ size, chunk_extras: extras }, declared, 4), held);
        if (!verdict.ok) return;
        passed += 1;
        expect(verdict.parts).toEqual(held);
        expect(verdict.parts).toEqual(sent);
        if (declared !== null) expect(declared).toBe(size);
      }),
      { numRuns: runs(500, 20_000) },
    );
    expect(passed).toBeGreaterThan(100);
  });
});

describe('a claim alone', () => {
  it('knows every part', () => {
    expect(checkClaim(whole)).toEqual({ ok: true, parts: stored });
    expect(checkClaim(claim([[1, 'a']], 0))).toEqual({ ok: true, parts: [{ partNumber: 1, etag: 'a', size: 0 }] });
  });

  it('is read in any order, with or without quotes', () => {
    const extras = [
      { part_number: '2', etag: '"b"' },
      { part_number: '1', etag: 'a' },
    ];
    expect(claimOf({ size: 12, chunk_extras: extras }, null, 10).chunks).toEqual([
      { number: 1, etag: 'a' },
      { number: 2, etag: 'b' },
    ]);
  });

  it('has a fingerprint of its content', () => {
    expect(fingerprint(whole)).toEqual(
      fingerprint(
        claim([
          [1, 'a'],
          [2, 'b'],
          [3, 'c'],
        ]),
      ),
    );
    for (const other of [
      claim([
        [1, 'a'],
        [2, 'b'],
        [3, 'd'],
      ]),
      claim(
        [
          [1, 'a'],
          [2, 'b'],
        ],
        20,
      ),
      claim(
        [
          [1, 'a'],
          [2, 'b'],
          [3, 'c'],
        ],
        26,
      ),
    ]) {
      expect(fingerprint(other)).not.toEqual(fingerprint(whole));
    }
  });
});

describe('an object that stands already', () => {
  const hex = (digit: string) => digit.repeat(64);
  const parts: StoredPart[] = [
    { partNumber: 1, etag: `b3-${hex('1')}`, size: 10 },
    { partNumber: 2, etag: `b3-${hex('2')}`, size: 5 },
  ];
  const digest = objectDigest([hex('1'), hex('2')]);

  it('is compared by BLAKE3 where the etags are that', () => {
    expect(digestOfParts(parts)).toBe(digest);
    expect(objectAgrees({ size: 15, etag: '', digest }, parts, 'blake3')).toBe(true);
    expect(objectAgrees({ size: 15, etag: '', digest: objectDigest([hex('2'), hex('1')]) }, parts, 'blake3')).toBe(false);
    expect(objectAgrees({ size: 15, etag: '' }, parts, 'blake3')).toBe(false);
    expect(objectAgrees({ size: 14, etag: '', digest }, parts, 'blake3')).toBe(false);
  });

  it('is compared as S3 makes its etag where the etags are MD5', () => {
    const md5 = (text: string) => createHash('md5').update(text).digest();
    const halves: StoredPart[] = ['one', 'two'].map((text, index) => ({ partNumber: index + 1, etag: md5(text).toString('hex'), size: 3 }));
    const etag = `${createHash('md5')
      .update(Buffer.concat([md5('one'), md5('two')]))
      .digest('hex')}-2`;
    expect(objectAgrees({ size: 6, etag }, halves, 'md5')).toBe(true);
    expect(objectAgrees({ size: 6, etag: `${etag}0` }, halves, 'md5')).toBe(false);
    expect(digestOfParts(halves)).toBeNull();
  });

  it('is compared by size where the etags are no digest', () => {
    expect(objectAgrees({ size: 15, etag: 'any' }, parts, 'none')).toBe(true);
    expect(objectAgrees({ size: 16, etag: 'any' }, parts, 'none')).toBe(false);
  });
});
