import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sidecarReader } from '#engine/automations/rules/form-fill/read-sidecar.ts';
import { valueInSidecar } from '#engine/automations/rules/form-fill/sidecar.ts';
import { findSidecar, indexSidecars } from '#engine/automations/rules/form-fill/sidecar-index.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

const look = (path: string, content: string | Uint8Array, key: string, name = 'clip.mov') =>
  valueInSidecar({ path, bytes: typeof content === 'string' ? new TextEncoder().encode(content) : content }, key, name);

describe('a value in JSON', () => {
  const json = '{"camera": {"name": "A", "lenses": [{"mm": 35}, "50"]}, "a.b": 1, "none": null, "__proto__": {"x": 1}}';

  it.each([
    ['camera.name', 'A'],
    ['camera.lenses.0.mm', 35],
    ['camera.lenses.1', '50'],
    ['a.b', 1],
  ])('is found under %s', (key, value) => {
    expect(look('a.json', json, key)).toEqual({ value });
  });

  it.each([
    ['camera', 'what is under camera is no single value.'],
    ['none', 'there is no value under none.'],
    ['constructor', 'there is no value under constructor.'],
    ['camera.toString', 'there is no value under camera.toString.'],
    ['camera.lenses.length', 'there is no value under camera.lenses.length.'],
  ])('is not found under %s', (key, fault) => {
    expect(look('a.json', json, key)).toEqual({ fault });
  });

  it('is not looked for in what is no JSON', () => {
    expect(look('a.json', '{"a": ', 'a')).toMatchObject({ fault: expect.stringMatching(/^it cannot be read: .*[^.]\.$/) });
  });
});

describe('a value in XML', () => {
  const xml = `<?xml version="1.0"?>
    <clip id="7"><camera>A &amp; B</camera><lens mm="35">Prime</lens><take>1</take><take>2</take></clip>`;

  it.each([
    ['camera', 'A & B'],
    ['clip.camera', 'A & B'],
    ['id', '7'],
    ['lens', 'Prime'],
    ['lens.mm', '35'],
    ['take.1', '2'],
  ])('is found under %s', (key, value) => {
    expect(look('a.XML', xml, key)).toEqual({ value });
  });

  it('resolves no entities, and reads no other file', () => {
    const hostile = `<!DOCTYPE clip [<!ENTITY secret SYSTEM "file:///etc/passwd"><!ENTITY many "${'x'.repeat(100)}">]>
      <clip><camera>A&secret;&many;</camera></clip>`;
    expect(look('a.xml', hostile, 'camera')).toEqual({ value: 'A' });
  });

  it('gives up where it is too deep, or none', () => {
    expect(look('a.xml', '<a>'.repeat(200_000), 'a')).toMatchObject({ fault: expect.stringContaining('it cannot be read') });
    expect(look('a.xml', 'camera: A', 'camera')).toMatchObject({ fault: expect.stringContaining('it cannot be read') });
  });
});

describe('a value in CSV', () => {
  it('is in the row of the file, else in the first one', () => {
    const csv = 'File;Camera;Scene\r\nother.mov;A;1\r\nclip.mov;"B; C";2\r\n';
    expect(look('a.csv', csv, 'camera')).toEqual({ value: 'B; C' });
    expect(look('a.csv', csv, 'Scene', 'unknown.mov')).toEqual({ value: '1' });
    expect(look('a.csv', csv, 'Lens')).toEqual({ fault: 'it has no column Lens.' });
  });

  it('is found by name in a table of names and values, as Longshore delivers them', () => {
    const csv = 'name,label,value\r\ncamera,Camera,A\r\ntags,Tags,Rain\r\ntags,Tags,Night\r\n';
    expect(look('metadata.csv', csv, 'camera')).toEqual({ value: 'A' });
    expect(look('metadata.csv', csv, 'tags')).toEqual({ value: ['Rain', 'Night'] });
  });

  it('is read as spreadsheets write it', () => {
    expect(look('a.csv', '\uFEFFcamera,scene\nÄ,1\n', 'camera')).toEqual({ value: 'Ä' });
    expect(look('a.csv', Buffer.from('\uFEFFcamera\tscene\nÄ\t1\n', 'utf16le'), 'camera')).toEqual({ value: 'Ä' });
    expect(look('a.csv', Buffer.from('camera,scene\nÄ,1\n', 'latin1'), 'camera')).toEqual({ value: 'Ä' });
  });
});

describe('the sidecar of an entry', () => {
  const index = indexSidecars([
    'clip.mov',
    'clip.JSON',
    'other.json',
    'day.json',
    'card/1.mov',
    'card/meta/info.json',
    'card/card.json',
    'card.json',
    'day 1/a.b.mov',
    'day 1/a.b.xml',
  ]);

  it.each([
    ['*.json', 'clip.mov', 'clip.JSON'],
    ['{name}.json', 'clip.mov', 'clip.JSON'],
    ['day.json', 'clip.mov', 'day.json'],
    ['*.json', 'missing.mov', null],
    ['*.xml', 'clip.mov', null],
    ['*.json', 'card', 'card/card.json'],
    ['meta/*.json', 'card', 'card/meta/info.json'],
    ['*.xml', 'day 1/a.b.mov', 'day 1/a.b.xml'],
    ['*', 'clip.mov', 'clip.JSON'],
    ['info.json', '', 'card/meta/info.json'],
  ])('%s of %s is %s', (pattern, entry, expected) => {
    expect(findSidecar(pattern, entry, index)).toBe(expected);
  });

  it('is read if it is a small file, and no link', async () => {
    const { path: folder, remove } = await diskFolder();
    onTestFinished(remove);
    mkdirSync(join(folder, 'card'));
    writeFileSync(join(folder, 'card', 'a.json'), '{}');
    writeFileSync(join(folder, 'card', 'b.json'), Buffer.alloc(1024 * 1024 + 1));
    symlinkSync(join(folder, 'card', 'a.json'), join(folder, 'card', 'c.json'));
    const read = sidecarReader(folder, 'card', () => indexSidecars(['card/a.json', 'card/b.json', 'card/c.json', 'card/d.json']));
    expect(await read('a.json')).toEqual({ path: 'card/a.json', bytes: new TextEncoder().encode('{}') });
    expect(await read('b.json')).toBeNull();
    expect(await read('c.json')).toBeNull();
    expect(await read('d.json')).toBeNull();
    expect(await read('e.json')).toBeNull();
  });
});
