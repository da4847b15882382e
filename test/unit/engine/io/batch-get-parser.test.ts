import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBatchGetParser } from '#engine/io/batch-get-parser.ts';

const line = (entries: unknown): Buffer => Buffer.from(`${JSON.stringify(entries)}\n`);

/** Reads an answer that comes in such pieces; gives what came of each object, and how it ended. */
function read(lengths: readonly number[], pieces: readonly Buffer[]) {
  const came: [number, string][] = [];
  const answer = createBatchGetParser(lengths, (index, bytes) => void came.push([index, bytes.toString('latin1')]));
  try {
    for (const piece of pieces) {
      // Whoever reads from a connection uses its buffer again.
      const reused = Buffer.from(piece);
      answer.add(reused);
      reused.fill(0);
    }
    answer.end();
    return { came, ended: 'well' };
  } catch (error) {
    return { came, ended: (error as { code: string }).code };
  }
}

test('every object is told of once, whole and in order, however its bytes are cut into pieces', () => {
  const object = fc.option(fc.string({ maxLength: 40 }).map((text) => Buffer.from(text, 'latin1')));
  fc.assert(
    fc.property(fc.array(object, { minLength: 1, maxLength: 12 }), fc.array(fc.nat({ max: 700 }), { maxLength: 12 }), (objects, cuts) => {
      const head = line(objects.map((one) => (one ? { length: one.length } : { status: 404, code: 'NoSuchKey', message: 'Gone.' })));
      const all = Buffer.concat([head, ...objects.flatMap((one) => one ?? [])]);
      const places = [0, ...cuts.filter((cut) => cut < all.length).sort((a, b) => a - b), all.length];
      const pieces = places.slice(1).map((end, index) => all.subarray(places[index], end));
      const { came, ended } = read(
        objects.map((one) => one?.length ?? 5),
        pieces,
      );
      expect(ended).toBe('well');
      expect(came).toEqual(objects.flatMap((one, index) => (one ? [[index, one.toString('latin1')]] : [])));
    }),
  );
});

test('one of another length than it was asked for is passed over, and the next one is found', () => {
  expect(read([3, 3], [line([{ length: 2 }, { length: 3 }]), Buffer.from('abcde')])).toEqual({ came: [[1, 'cde']], ended: 'well' });
});

describe('an answer', () => {
  test.each([
    ['ends before its line does', [Buffer.from('[{"length"')], 'wrong_answer'],
    ['is empty', [], 'cut'],
    ['is no JSON', [Buffer.from('<html>\n')], 'wrong_answer'],
    ['is no list', [line({})], 'wrong_answer'],
    ['is of other files', [line([{ length: 1 }])], 'wrong_answer'],
    ['is of things that are none', [line([1, 2])], 'wrong_answer'],
    ['has lengths that are none', [line([{ length: -1 }, { length: 1 }])], 'wrong_answer'],
    ['says that more comes than was asked for', [line([{ length: 4 }, { length: 1 }])], 'wrong_answer'],
    ['has a line without an end', [Buffer.alloc(1024 * 1024 + 1, ' ')], 'wrong_answer'],
  ])('that %s brings nothing', (_, pieces, code) => {
    expect(read([3, 2], pieces)).toEqual({ came: [], ended: code });
  });

  test('that ends too early, or too late, brings what of it is whole', () => {
    const head = line([{ length: 3 }, { length: 2 }]);
    expect(read([3, 2], [head, Buffer.from('abcd')])).toEqual({ came: [[0, 'abc']], ended: 'cut' });
    expect(read([3, 2], [head, Buffer.from('abcdef')])).toEqual({
      came: [
        [0, 'abc'],
        [1, 'de'],
      ],
      ended: 'wrong_answer',
    });
  });
});
