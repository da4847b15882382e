import { describe, expect, it } from 'vitest';
import { parseAgentListen, parseListen, showAgentListen } from '#main/cli/listen.ts';

describe('an address to listen on', () => {
  it.each<[string, string, number]>([
    ['127.0.0.1:8090', '127.0.0.1', 8090],
    ['0.0.0.0:0', '0.0.0.0', 0],
    ['localhost:8090', 'localhost', 8090],
    ['[::1]:8090', '::1', 8090],
    ['[::]:8090', '::', 8090],
    [':8090', '127.0.0.1', 8090],
    ['8090', '127.0.0.1', 8090],
    [' 8090 ', '127.0.0.1', 8090],
  ])('%j is %s and %i', (text, host, port) => {
    expect(parseListen(text)).toEqual({ host, port });
  });

  it.each(['', 'localhost', 'localhost:', '::1:8090', '127.0.0.1:65536', '127.0.0.1:-1', 'http://127.0.0.1:80', 'a b:80', '[::1]', '1.5'])(
    '%j is refused',
    (text) => {
      expect(() => parseListen(text)).toThrow('Give HOST:PORT');
    },
  );
});

describe('an address of an agent to listen on', () => {
  it.each([
    ['unix:/run/longshore.sock', 'unix:/run/longshore.sock'],
    ['unix:///run/longshore.sock', 'unix:/run/longshore.sock'],
    ['8090', '127.0.0.1:8090'],
    ['[::1]:8090', '[::1]:8090'],
  ])('%s is %s', (text, shown) => {
    expect(showAgentListen(parseAgentListen(text))).toBe(shown);
  });

  it.each(['unix:', 'unix:/', 'unix:run.sock', 'unix:/run/', 'unix:/a\0b'])('%j is refused', (text) => {
    expect(() => parseAgentListen(text)).toThrow('Give an absolute path after unix:');
  });
});
