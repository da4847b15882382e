import fc from 'fast-check';
import { expect, test } from 'vitest';
import { partQueries } from '#storage/part-address.ts';
import { createPartBlueprints } from '#storage/part-blueprints.ts';
import { runs } from '#test/support/faults/seeds.ts';

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
  // One for all, as a storage has it: what is remembered of an upload must fit every call for it, and no other.
  const partBlueprints = createPartBlueprints(secret);
  fc.assert(
    fc.property(
      fc.oneof(fc.array(part, { maxLength: 8 }), neighbours),
      fc.constantFrom('http://127.0.0.1:8080/objects', 'https://größe.example/"\\', 'http://[::1]:1'),
      fc.constantFrom('0123456789ab8def0123456789abcdef', ...['', '0', '1'].map((last) => `${uploadId.slice(0, 32 - last.length)}${last}`)),
      fc.oneof(fc.constantFrom(1, 1_800_000_000), fc.integer({ min: 1, max: 7_000_000_000 })),
      (parts, host, upload, expires) => {
        const address = `${host}/${key}?`;
        const expected = partQueries(secret, key, upload, parts, new Date(expires * 1000)).map((query) => ({
          url: address + query,
          method: 'PUT',
          headers: {},
          body: '',
        }));
        expect(partBlueprints({ key, uploadId: upload, expires, address }, parts).toString()).toBe(JSON.stringify(expected));
      },
    ),
    { numRuns: runs(150, 5_000) },
  );
});
