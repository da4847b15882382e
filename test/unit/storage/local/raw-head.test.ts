import { describe, expect, test } from 'vitest';
import { parseRawPut } from '#storage/local/fast/raw-head.ts';

const head = (...lines: string[]): Buffer => Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
const plain = ['PUT /a/b?partNumber=1&signature=x_y HTTP/1.1', 'host: s.example', 'content-length: 1000000'];

describe('the head of a plain PUT', () => {
  test('is read, and what comes after it is not', () => {
    const bytes = head(...plain);
    expect(parseRawPut(Buffer.concat([bytes, Buffer.from('GET / HTTP/1.1\r\n\r\n')]))).toEqual({
      target: '/a/b?partNumber=1&signature=x_y',
      length: 1_000_000,
      headLength: bytes.length,
    });
  });

  test.each([['connection: keep-alive'], ['Connection: Keep-Alive'], ['User-Agent: \tany \t'], ['content-type: application/octet-stream']])(
    'may hold %j',
    (line) => {
      expect(parseRawPut(head(...plain, line))).toMatchObject({ length: 1_000_000 });
    },
  );

  test('names whom a proxy sends it for', () => {
    const put = parseRawPut(head(...plain, 'X-Forwarded-For: 192.0.2.7', 'X-Longshore-Accel: nginx'));
    expect(put).toMatchObject({ length: 1_000_000, forwardedFor: '192.0.2.7' });
  });
});

describe('left to a real parser', () => {
  test.each([
    // Where a body ends, in another way or in two ways.
    'transfer-encoding: chunked',
    'Transfer-Encoding: identity',
    'transfer-encoding : chunked',
    'content-length: 1000000',
    'Content-Length: 5',
    'content-length : 5',
    // Another conversation.
    'expect: 100-continue',
    'upgrade: websocket',
    'connection: close',
    'connection: keep-alive, content-length',
    'trailer: x',
    'host: other.example',
    // Another answer.
    'origin: https://page.example',
    // No fields.
    ' folded',
    '\tfolded',
    'nothing',
    ': nameless',
    'user-agent: a\rb',
    'user-agent: a\nb',
    'user-agent: a\nTransfer-Encoding: chunked',
    'user-agent: a\0b',
    'user agent: a',
    // Nobody has thought of it.
    'x-anything: 1',
  ])('a head with %j', (line) => {
    expect(parseRawPut(head(...plain, line))).toBeNull();
  });

  test.each([
    ['POST /a HTTP/1.1'],
    ['put /a HTTP/1.1'],
    ['PUT  /a HTTP/1.1'],
    ['PUT /a b HTTP/1.1'],
    ['PUT /a HTTP/1.0'],
    ['PUT /a HTTP/1.1 '],
    ['PUT http://other.example/a HTTP/1.1'],
    ['PUT * HTTP/1.1'],
    ['PUT /\xe4 HTTP/1.1'],
    [' PUT /a HTTP/1.1'],
    [''],
  ])('a request that begins %j', (line) => {
    expect(parseRawPut(head(line, ...plain.slice(1)))).toBeNull();
  });

  test.each(['', '+5', '-5', '5.0', '5e3', '0x5', '5, 5', '5 5', '1234567890123456'])('a length of %j', (length) => {
    expect(parseRawPut(head(plain[0]!, plain[1]!, `content-length: ${length}`))).toBeNull();
  });

  test('one without a length, or without a host', () => {
    expect(parseRawPut(head(plain[0]!, plain[1]!))).toBeNull();
    expect(parseRawPut(head(plain[0]!, plain[2]!))).toBeNull();
  });

  test('one that has not come as a whole, or ends its lines in another way', () => {
    const bytes = head(...plain);
    expect(parseRawPut(bytes.subarray(0, -1))).toBeNull();
    expect(parseRawPut(Buffer.from(bytes.toString().replaceAll('\r\n', '\n')))).toBeNull();
  });
});
