import { describe, expect, it } from 'vitest';
import { parseConfig } from '#main/config/read-file.ts';

const entries = (text: string) => parseConfig(text, 'f').entries;

describe('a configuration file', () => {
  it('is keys with texts or lists of texts, each with its line; numbers stay as written', () => {
    const text =
      '# the agent\n---\nlisten: 8090\n\nservice_url: "https://files.example.com"  # ours\nallow_host:\n  - a\n  - b\nother: [c, \'d\']\n';
    expect(entries(text)).toEqual([
      { key: 'listen', value: '8090', line: 3 },
      { key: 'service_url', value: 'https://files.example.com', line: 5 },
      { key: 'allow_host', value: ['a', 'b'], line: 6 },
      { key: 'other', value: ['c', 'd'], line: 9 },
    ]);
  });

  it.each(['', '# nothing\n', '---\n', 'null\n'])('may hold nothing: %j', (text) => {
    expect(entries(text)).toEqual([]);
  });

  it.each(['a:', 'a: ~', 'a: null', 'a: # b'])('%j has no value', (text) => {
    expect(entries(text)).toEqual([{ key: 'a', value: null, line: 1 }]);
  });

  it('takes a quoted null as the text that it is', () => {
    expect(entries('a: "null"')).toEqual([{ key: 'a', value: 'null', line: 1 }]);
  });

  it.each([
    ['a: [', /^f, line \d: A list or mapping in brackets lacks /],
    ['\tlisten: 1', /^f, line \d: /],
    ['a: 1\n\nb:\n  c: d', /^f, line 3: write each setting as key: value/],
    ['a: {b: c}', /^f, line 1: write each setting/],
    ['a: [[b]]', /^f, line 1: write each setting/],
    ['- a', /^f, line 1: write each setting/],
    ['just words', /^f, line 1: write each setting/],
    ['a: 1\nb: 2\na: 3', /^f, line 3: This key stands there already/],
    ['a: 1\n---\nb: 2', /second document/],
  ])('%j is refused with its line', (text, message) => {
    expect(() => parseConfig(text, 'f')).toThrow(expect.objectContaining({ code: 2, message: expect.stringMatching(message) }));
  });

  it('holds automations, which are read whole', () => {
    const text = `listen: 8090
automations:
  - name: Renders
    kind: team_upload
    folder: /media/renders
    team_id: t1
    recipients: []
`;
    expect(parseConfig(text, 'f')).toMatchObject({
      entries: [{ key: 'listen' }],
      provisioning: { automations: [{ name: 'Renders', kind: 'team_upload', line: 3, fields: { settle_seconds: 30 } }] },
    });
    expect(() => parseConfig(text.replace('folder', 'fodler'), 'f')).toThrow(
      expect.objectContaining({ code: 2, message: expect.stringMatching(/^f, line 5: team_upload has no field "fodler"/) }),
    );
  });

  it('holds mounts', () => {
    const text = 'mounts:\n  - path: /mnt/nas\n    team_id: t1\n    read_only: true\n';
    expect(parseConfig(text, 'f').provisioning.mounts).toMatchObject([
      { line: 2, fields: { path: '/mnt/nas', team_id: 't1', read_only: true } },
    ]);
    expect(() => parseConfig(text.replace('true', 'maybe'), 'f')).toThrow(/^f, line 4: read_only must be /);
    const named = text.replace('team_id: t1', 'team: Northlight');
    expect(parseConfig(named, 'f').provisioning.mounts).toMatchObject([{ fields: { path: '/mnt/nas', team: 'Northlight' } }]);
    expect(() => parseConfig(`${named}    team_id: t1\n`, 'f')).toThrow(/^f, line 3: Give team or team_id, and not both/);
    expect(() => parseConfig(text.replace('    team_id: t1\n', ''), 'f')).toThrow(/team_id is missing/);
  });
});
