import { describe, expect, test } from 'vitest';
import {
  acceptedBatchGet,
  batchGetAddress,
  batchGetBody,
  batchGetHead,
  parseBatchGetBody,
  parseBatchGetHead,
} from '#protocol/storage/batch-get.ts';
import {
  acceptedBatchPut,
  batchPutAddress,
  batchPutAnswer,
  batchPutHead,
  parseBatchPutAnswer,
  parseBatchPutHead,
} from '#protocol/storage/batch-put.ts';
import { authorizingTarget, blake3OfEtag, partEtag, targetOf, targetsOf, unquoted } from '#protocol/storage/requests.ts';

const addresses = ['https://s.example.com/store/a?size=1&x=y%2Fz', 'https://s.example.com/store/b?size=2'];
const targets = ['/store/a?size=1&x=y%2Fz', '/store/b?size=2'];
const refusal = { status: 503, code: 'SlowDown', message: 'Too much.', retry_after: '1' };

test('an address is named by its path and query', () => expect(addresses.map(targetOf)).toEqual(targets));

test('many addresses are named as each alone would be, whatever a parser changes of them', () => {
  const odd = [
    'http://127.0.0.1:9000/objects/a?uploadId=1&signature=A-_~.',
    'http://127.0.0.1:9000/objects/../b?x=1',
    'http://127.0.0.1:9000/a/./b',
    'http://127.0.0.1:9000/a/%2e%2e/b',
    'http://127.0.0.1:9000/a b?c d',
    'http://127.0.0.1:9000/a?b#c',
    'http://127.0.0.1:9000/\u00e9?\u00e9',
    'http://127.0.0.1:9000//a//b',
    'http://127.0.0.1:9000/a\\b?q={x}|"y"',
    'http://127.0.0.1:9000',
    'http://127.0.0.1:9000?x=1',
    'http://127.0.0.1:90001.example/a',
    'https://storage.example.com/a?b=c',
    'HTTPS://user@Storage.example.com:443/a?b=c',
  ].filter((address) => URL.canParse(address));
  for (const first of odd) expect(targetsOf([first, ...odd])).toEqual([first, ...odd].map(targetOf));
  expect(targetsOf([])).toEqual([]);
});

describe('a batch put', () => {
  const parts = addresses.map((url, index) => ({ blueprint: { url, method: 'PUT', headers: {}, body: '' } as const, length: index }));

  test('is authorized by its first part, and named part by part', () => {
    const url = new URL(batchPutAddress('https://s.example.com/-/parts', parts));
    expect([url.pathname, authorizingTarget(url.search.slice(1))]).toEqual(['/-/parts', targets[0]]);
    const head = batchPutHead(parts);
    expect(head.indexOf('\n')).toBe(head.length - 1);
    expect(parseBatchPutHead(head.trimEnd())).toEqual(targets.map((target, length) => ({ target, length })));
  });

  test.each([
    ['no JSON', '['],
    ['nothing', '[]'],
    ['no list', '{}'],
    ['a target of another kind', '[{"target":"a","length":1}]'],
    ['no length', '[{"target":"/a"}]'],
    ['a length below nothing', '[{"target":"/a","length":-1}]'],
    ['half a byte', '[{"target":"/a","length":0.5}]'],
    ['a part that is too large', `[{"target":"/a","length":${acceptedBatchPut.partBytes + 1}}]`],
    ['too many', JSON.stringify(Array.from({ length: acceptedBatchPut.parts + 1 }, () => ({ target: '/a', length: 0 })))],
  ])('%s is malformed', (_, line) => expect(parseBatchPutHead(line)).toHaveProperty('malformed'));

  test('is answered part by part', () => {
    const answers = [{ etag: partEtag('0'.repeat(64)) }, refusal];
    expect(parseBatchPutAnswer(batchPutAnswer(answers), 2)).toEqual(answers);
    expect(parseBatchPutAnswer(batchPutAnswer(answers), 1)).toBeNull();
    for (const text of ['', 'null', '<html>', '{"parts":3}', '{"parts":[1,2]}']) expect(parseBatchPutAnswer(text, 2)).toBeNull();
  });
});

describe('a batch get', () => {
  test('is authorized by its first object, and names each', () => {
    expect(authorizingTarget(new URL(batchGetAddress('https://s.example.com/-/objects', addresses)).search.slice(1))).toBe(targets[0]);
    expect(parseBatchGetBody(batchGetBody(addresses))).toEqual(targets);
  });

  test.each([
    ['no JSON', '['],
    ['nothing', '[]'],
    ['no list', '"/a"'],
    ['an address of another kind', '["https://s.example.com/a"]'],
    ['too many', JSON.stringify(Array.from({ length: acceptedBatchGet.objects + 1 }, () => '/a'))],
  ])('%s is malformed', (_, body) => expect(parseBatchGetBody(body)).toHaveProperty('malformed'));

  test('says of each how long it is, or why it is not there', () => {
    const head = batchGetHead([{ length: 3 }, refusal, { length: 0 }]);
    expect(head.indexOf('\n')).toBe(head.length - 1);
    expect(parseBatchGetHead(head, [3, 5, 0])).toEqual([3, null, 0]);
  });

  test.each(['', '{}', '[]', '[1]', '[{"length":6}]', '[{"length":-1}]', '[{"length":"1"}]', '[{"length":1},{"length":1}]'])(
    '%s is no answer for one object of five bytes',
    (line) => expect(parseBatchGetHead(line, [5])).toBeNull(),
  );
});

describe('an etag', () => {
  test('is the digest of its part', () => expect(blake3OfEtag(partEtag('0a'.repeat(32)))).toBe('0a'.repeat(32)));

  test.each(['b3-', `b3-${'0'.repeat(63)}`, `b3-${'G'.repeat(64)}`, `"b3-${'0'.repeat(64)}"`, '0'.repeat(64)])(
    '%s is none of local storage',
    (etag) => {
      expect(blake3OfEtag(etag)).toBeNull();
    },
  );

  test.each([
    ['"a"', 'a'],
    ['W/"a"', 'a'],
    ['a', 'a'],
    ['', ''],
  ])('%s without quotes', (header, etag) => expect(unquoted(header)).toBe(etag));
});
