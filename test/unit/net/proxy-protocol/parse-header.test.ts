import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { longestProxyHeader, parseProxyHeader } from '#net/proxy-protocol/parse-header.ts';

const parse = (text: string) => parseProxyHeader(Buffer.from(text, 'latin1'));
const after = 'GET / HTTP/1.1\r\n';

describe('version 1', () => {
  test.each([
    ['PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\n', { address: '192.0.2.1', port: 56_324 }],
    ['PROXY TCP6 2001:db8::1 ::1 0 65535\r\n', { address: '2001:db8::1', port: 0 }],
    ['PROXY UNKNOWN\r\n', null],
    ['PROXY UNKNOWN ffff:f...f:ffff ffff 65535 65535\r\n', null],
  ])('%j', (line, client) => {
    expect(parse(line + after)).toEqual({ kind: 'complete', length: line.length, client });
    for (let length = 0; length < line.length; length++) expect(parse(line.slice(0, length))).toEqual({ kind: 'incomplete' });
  });

  test.each([
    after,
    'proxy TCP4 192.0.2.1 198.51.100.1 1 2\r\n',
    'PROXY  TCP4 192.0.2.1 198.51.100.1 1 2\r\n',
    'PROXY TCP4 192.0.2.1 198.51.100.1 1 2 \r\n',
    'PROXY TCP4 192.0.2.1 198.51.100.1 01 2\r\n',
    'PROXY TCP4 192.0.2.1 198.51.100.1 1 65536\r\n',
    'PROXY TCP4 192.0.2.999 198.51.100.1 1 2\r\n',
    'PROXY TCP4 2001:db8::1 ::1 1 2\r\n',
    'PROXY TCP6 192.0.2.1 198.51.100.1 1 2\r\n',
    'PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n',
    'PROXY TCP4 192.0.2.1 198.51.100.1 1\r\n',
    'PROXY UDP4 192.0.2.1 198.51.100.1 1 2\r\n',
    'PROXY TCP4 192.0.2.1 198.51.100.1 1 2\n\r\n',
    'PROXY UNKNOWNX\r\n',
    `PROXY UNKNOWN ${'x'.repeat(92)}\r\n`,
  ])('%j is refused', (line) => expect(parse(line)).toEqual({ kind: 'invalid' }));
});

const signature = '0d0a0d0a000d0a515549540a';
const binary = (command: string, family: string, body: string, length = body.length / 2) =>
  Buffer.from(`${signature}${command}${family}${length.toString(16).padStart(4, '0')}${body}`, 'hex');
const four = 'c0000201c6336401dc0401bb';
const six = `20010db8000000000000000000000001${'0'.repeat(31)}1dc0401bb`;

describe('version 2', () => {
  test.each([
    ['IPv4', binary('21', '11', four), { address: '192.0.2.1', port: 56_324 }],
    ['IPv6', binary('21', '21', six), { address: '2001:db8:0:0:0:0:0:1', port: 56_324 }],
    ['with fields', binary('21', '11', `${four}030004ffffffff040000`), { address: '192.0.2.1', port: 56_324 }],
    ["a proxy's own connection", binary('20', '11', four), null],
    ["a proxy's own connection without addresses", binary('20', '00', ''), null],
    ['an unknown client', binary('21', '00', 'abcd'), null],
  ])('%s', (_, bytes, client) => {
    expect(parseProxyHeader(Buffer.concat([bytes, Buffer.from(after)]))).toEqual({ kind: 'complete', length: bytes.length, client });
    for (let length = 0; length < bytes.length; length++)
      expect(parseProxyHeader(bytes.subarray(0, length))).toEqual({ kind: 'incomplete' });
  });

  test.each([
    ['version 1', binary('11', '11', four)],
    ['another command', binary('22', '11', four)],
    ['datagrams', binary('21', '12', four)],
    ['a socket of Unix', binary('21', '31', '00'.repeat(216))],
    ['too short for its addresses', binary('21', '11', four.slice(2))],
    ['too short for IPv6', binary('21', '21', four)],
    ['fields that end too late', binary('21', '11', `${four}030005ffffffff`)],
    ['half a field', binary('21', '11', `${four}0300`)],
    ['too long', binary('21', '11', four, longestProxyHeader)],
    ['another signature', Buffer.from(`0d0a0d0a000d0a515549540b21110000`, 'hex')],
  ])('%s is refused', (_, bytes) => expect(parseProxyHeader(bytes)).toEqual({ kind: 'invalid' }));
});

test('whatever comes, it is a whole header, the beginning of one, or none', () => {
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(
        ...['PROXY ', 'TCP4 ', 'TCP6 ', 'UNKNOWN', '\r\n', ' ', '192.0.2.1 ', '::1 ', '80 '].map((text) => Buffer.from(text)),
      ),
      fc.constantFrom(...[signature, '21', '20', '11', '000c', four, '0000'].map((text) => Buffer.from(text, 'hex'))),
      fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
    ),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(pieces, (list) => {
      const bytes = Buffer.concat(list);
      const header = parseProxyHeader(bytes);
      if (header.kind === 'incomplete') return bytes.length < longestProxyHeader;
      if (header.kind === 'invalid') return true;
      const own = header.length <= bytes.length && parseProxyHeader(bytes.subarray(0, header.length)).kind === 'complete';
      return own && (header.client === null || (isIP(header.client.address) > 0 && header.client.port <= 65_535));
    }),
    { numRuns: 300 },
  );
});
