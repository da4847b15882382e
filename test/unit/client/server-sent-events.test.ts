import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventParser } from '#client/server-sent-events.ts';

const parse = (...pieces: string[]) => {
  const parser = new EventParser();
  return pieces.flatMap((piece) => parser.push(piece));
};

describe('EventParser', () => {
  it.each([
    ['an event', 'id: 7\ndata: {"a":1}\n\n', [{ id: '7', data: '{"a":1}' }]],
    ['no space after the colon', 'id:7\ndata:x\n\n', [{ id: '7', data: 'x' }]],
    ['only the first space cut', 'data:  x\n\n', [{ id: null, data: ' x' }]],
    ['CRLF', 'id: 7\r\ndata: x\r\n\r\n', [{ id: '7', data: 'x' }]],
    ['CR alone', 'id: 7\rdata: x\r\r\n', [{ id: '7', data: 'x' }]],
    ['data of several lines', 'data: a\ndata: b\n\n', [{ id: null, data: 'a\nb' }]],
    ['a heartbeat', ': still here\n\n', []],
    [
      'an id that stays for the next event',
      'id: 7\ndata: a\n\ndata: b\n\n',
      [
        { id: '7', data: 'a' },
        { id: '7', data: 'b' },
      ],
    ],
    ['an id with NUL passed over', 'id: 7\0\ndata: a\n\n', [{ id: null, data: 'a' }]],
    ['unknown fields passed over', 'retry: 10\nevent: x\ndata\ndata: a\n\n', [{ id: null, data: '\na' }]],
    ['an event that is not whole', 'id: 7\ndata: x\n', []],
  ])('reads %s', (_, text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  it('reads the same wherever the stream is cut', () => {
    const text = 'id: 1\r\ndata: {"name":"Ärger"}\r\n\r\n: beat\n\nid: 2\ndata: a\ndata: b\n\n';
    const whole = parse(text);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 6 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), text.length];
        expect(parse(...at.slice(1).map((end, index) => text.slice(at[index], end)))).toEqual(whole);
      }),
    );
  });

  it('has the id of the newest whole block, with data or without', () => {
    const parser = new EventParser();
    const ids = ['id: 7\n', 'data: a\n', '\n', 'id: 8\n: still here\n', '\n', ': still here\n\n', 'id: 9\nda'].map((piece) => {
      parser.push(piece);
      return parser.lastEventId;
    });
    expect(ids).toEqual([null, null, '7', '7', '8', '8', '8']);
  });
});
