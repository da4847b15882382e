import { describe, expect, test } from 'vitest';
import { parseResponseHead } from '#engine/io/fast/raw-http.ts';

describe('the head of an answer', () => {
  test('is its status and its fields', () => {
    const head = 'HTTP/1.1 206 Partial Content\r\nContent-Length: 10\r\nX-Empty:\r\nContent-Range:  bytes 0-9/10 \r\nETag: "a:b"';
    expect(parseResponseHead(head)).toEqual({
      status: 206,
      headers: { 'content-length': '10', 'x-empty': '', 'content-range': 'bytes 0-9/10', etag: '"a:b"' },
    });
    expect(parseResponseHead('HTTP/1.1 204').status).toBe(204);
  });

  test.each([
    ['another protocol', 'HTTP/1.0 206 Partial Content'],
    ['no status', 'HTTP/1.1 abc'],
    ['too long a status', 'HTTP/1.1 2066 OK'],
    ['nothing', ''],
    ['a field twice', 'HTTP/1.1 206 OK\r\nContent-Length: 1\r\ncontent-length: 2'],
    ['a folded field', 'HTTP/1.1 206 OK\r\nX: 1\r\n  2'],
    ['a space before the colon', 'HTTP/1.1 206 OK\r\nContent-Length : 1'],
    ['no field at all', 'HTTP/1.1 206 OK\r\nhello'],
  ])('is none with %s', (_, head) => {
    expect(parseResponseHead(head).status).toBe(0);
  });
});
