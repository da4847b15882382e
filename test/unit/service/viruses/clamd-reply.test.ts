import { describe, expect, it } from 'vitest';
import { parseClamdUrl } from '#service/viruses/clamd-address.ts';
import { verdictOf } from '#service/viruses/clamd-reply.ts';

describe("clamd's answers", () => {
  it.each([
    ['stream: OK', { kind: 'clean' }],
    ['stream: Win.Test.EICAR_HDB-1 FOUND', { kind: 'infected', virus: 'Win.Test.EICAR_HDB-1' }],
    ['stream: a FOUND b FOUND', { kind: 'infected', virus: 'a FOUND b' }],
    ['stream: evil\nname FOUND', { kind: 'infected', virus: 'evil name' }],
    [`stream: ${'x'.repeat(500)} FOUND`, { kind: 'infected', virus: 'x'.repeat(200) }],
    ['stream: Heuristics.Limits.Exceeded.MaxFileSize FOUND', { kind: 'too_large' }],
    ['INSTREAM size limit exceeded. ERROR', { kind: 'too_large' }],
  ])('%j', (reply, verdict) => {
    expect(verdictOf(reply)).toEqual(verdict);
  });

  it.each(['', 'stream: OK\n', 'OK', "stream: Can't allocate memory ERROR", 'UNKNOWN COMMAND', 'file: OK'])('%j is no verdict', (reply) => {
    expect(() => verdictOf(reply)).toThrow(expect.objectContaining({ name: 'ScanError', code: 'refused' }));
  });
});

describe('the address of a clamd', () => {
  it.each([
    ['tcp://127.0.0.1:3310', { host: '127.0.0.1', port: 3310 }],
    ['tcp://[::1]:3310', { host: '::1', port: 3310 }],
    ['tcp://clamd.internal:3310/', { host: 'clamd.internal', port: 3310 }],
    ['unix:///run/clamav/clamd.ctl', { path: '/run/clamav/clamd.ctl' }],
    ['unix:///run/with%20space', { path: '/run/with space' }],
  ])('%s', (text, address) => {
    expect(parseClamdUrl(text)).toEqual(address);
  });

  it.each([
    '',
    'clamd',
    'tcp://host',
    'tcp://:3310',
    'http://host:3310',
    'unix://run/x',
    'unix://',
    'tcp://user@host:1',
    'tcp://host:1/x',
    'tcp://host:1?x',
  ])('%j is refused', (text) => {
    expect(() => parseClamdUrl(text)).toThrow(
      expect.objectContaining({ code: 'option_invalid', message: expect.stringContaining('--clamd-url') }),
    );
  });
});
