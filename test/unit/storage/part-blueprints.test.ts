import fc from 'fast-check';
import { expect, test } from 'vitest';
import { partQueries } from '#storage/part-address.ts';
import { partBlueprints } from '#storage/part-blueprints.ts';

const secret = Buffer.alloc(32, 1);
const key = '019aa1b2-0000-7000-8000-000000000000';
const uploadId = '0123456789abcdef0123456789abcdef';

const part = fc.record({
  partNumber: fc.oneof(fc.constantFrom(1, 9, 10, 99, 100, 10_000), fc.integer({ min: 1, max: 999_999_999 })),
  size: fc.oneof(fc.constantFrom(null, 0, 5, 8_388_608), fc.nat(5 * 2 ** 40)),
  maxSize: fc.constantFrom(5, 8_388_608, 5 * 2 ** 40),
});
/** As they are asked for most: neighbours, all of one size but the last. */
const neighbours = fc
  .record({ first: fc.nat(1_100), count: fc.integer({ min: 1, max: 120 }), size: fc.constantFrom(null, 5, 8_388_608), last: fc.nat(9) })
  .map(({ first, count, size, last }) =>
    Array.from({ length: count }, (_, index) => ({
      partNumber: first + index + 1,
      size: index === count - 1 ? last : size,
      maxSize: 8_388_608,
    })),
  );

test('the JSON text of addresses is that of the addresses one by one', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.array(part, { maxLength: 8 }), neighbours),
      fc.constantFrom('http://127.0.0.1:8080/objects', 'https://größe.example/"\\', 'http://[::1]:1'),
      fc.date({ min: new Date(1_000), max: new Date('2200-01-01'), noInvalidDate: true }),
      (parts, host, expiresAt) => {
        const address = `${host}/${key}?`;
        const expected = partQueries(secret, key, uploadId, parts, expiresAt).map((query) => ({
          url: address + query,
          method: 'PUT',
          headers: {},
          body: '',
        }));
        expect(partBlueprints(secret, key, uploadId, parts, expiresAt, address).toString()).toBe(JSON.stringify(expected));
      },
    ),
    { numRuns: 400 },
  );
});
