import { describe, expect, it } from 'vitest';
import { parseConfig } from '#main/config/read-file.ts';

describe('a configuration file', () => {
  it('is keys with texts or lists of texts, each with its line; numbers stay as written', () => {
    const text =
      '# the agent\n---\nlisten: 8090\n\nservice_url: "https://files.example.com"  # ours\nallow_host:\n  - a\n  - b\nother: [c, \'d\']\n';
    expect(parseConfig(text, 'f')).toEqual([
      { key: 'listen', value: '8090', line: 3 },
      { key: 'service_url', value: 'https://files.example.com', line: 5 },
      { key: 'allow_host', value: ['a', 'b'], line: 6 },
      { key: 'other', value: ['c', 'd'], line: 9 },
    ]);
  });

  it.each(['', '# nothing\n', '---\n', 'null\n'])('may hold nothing: %j', (text) => {
    expect(parseConfig(text, 'f')).toEqual([]);
  });

  it.each(['a:', 'a: ~', 'a: null', 'a: # b'])('%j has no value', (text) => {
    expect(parseConfig(text, 'f')).toEqual([{ key: 'a', value: null, line: 1 }]);
  });

  it('takes a quoted null as the text that it is', () => {
    expect(parseConfig('a: "null"', 'f')).toEqual([{ key: 'a', value: 'null', line: 1 }]);
  });

  it.each([
    ['a: [', /^f, line \d: this is not YAML: /],
    ['\tlisten: 1', /^f, line \d: /],
    ['a: 1\n\nb:\n  c: d', /^f, line 4: write each setting as key: value/],
    ['a: {b: c}', /^f, line 1: write each setting/],
    ['a: [[b]]', /^f, line 1: write each setting/],
    ['- a', /^f, line 1: write each setting/],
    ['just words', /^f, line 1: write each setting/],
    ['a: &x 1\nb: *x', /^f, line 2: write each setting/],
    ['a: 1\nb: 2\na: 3', /^f, line 3: a stands in line 1 already/],
    ['a: 1\n---\nb: 2', /second document/],
  ])('%j is refused with its line', (text, message) => {
    expect(() => parseConfig(text, 'f')).toThrow(expect.objectContaining({ code: 2, message: expect.stringMatching(message) }));
  });
});
