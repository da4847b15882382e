import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FormField, FormValue } from '#protocol/hosted/forms.ts';
import { type Answered, asCsv, asJson, asXml } from '#service/forms/formats.ts';
import { anyCharacter } from '#test/support/any-text.ts';

/** What is written is read again by somebody else's parsers: Python's. */

const field = (name: string, more: Partial<FormField> = {}): FormField => ({
  name,
  label: `The ${name}`,
  type: 'short_text',
  visibility: 'optional',
  position: 0,
  ...more,
});
const answered = (fields: readonly FormField[], values: Readonly<Record<string, FormValue['value']>>): Answered => ({
  id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
  form: { name: 'Camera "A" & <B>', delivery_formats: ['json', 'csv', 'xml'], fields },
  answers: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }])),
});

const python = <T>(program: string, inputs: readonly string[]): T =>
  JSON.parse(
    execFileSync('python3', ['-c', program], {
      input: JSON.stringify(inputs),
      maxBuffer: 64 * 1024 * 1024,
      env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
    }).toString('utf8'),
  ) as T;
const readCsv = (texts: readonly string[]): string[][][] =>
  python(
    'import csv, io, json, sys\nprint(json.dumps([list(csv.reader(io.StringIO(t, newline=""))) for t in json.load(sys.stdin)]))',
    texts,
  );
interface Read {
  readonly root: Readonly<Record<string, string>>;
  readonly fields: readonly [string, string, string, string[]][];
}
const readXml = (texts: readonly string[]): Read[] =>
  python(
    `import json, sys, xml.etree.ElementTree as ET
def read(t):
    root = ET.fromstring(t.encode("utf-8"))
    return {"root": root.attrib, "fields": [[f.get("name"), f.get("label"), f.get("type"), [v.text or "" for v in f]] for f in root]}
print(json.dumps([read(t) for t in json.load(sys.stdin)]))`,
    texts,
  );

const nasty = [
  'plain',
  'comma, "quote"',
  'line\nbreak\r\nand\rreturn',
  ' spaces ',
  '=HYPERLINK("http://evil.example","x")',
  '+1',
  '-1',
  '@SUM(A1)',
  '\tcell',
  '<tag a="1">&amp;</tag>]]>',
  'ünïcödé ☕ 𝄞',
  'a\u0001b\u000bc\ufffe',
];

/** XML 1.0's `Char`; all else is U+FFFD. */
const holdable = (text: string) =>
  [...text].map((one) => (/[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(one) ? one : '\ufffd')).join('');

describe('metadata.json', () => {
  it("is the response as the API gives it, in the form's order", () => {
    const text = asJson(answered([field('b'), field('a'), field('n')], { a: ['x', 'y'], n: 7 }));
    expect(text).toBe(
      `${JSON.stringify({ id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b', b: { value: '' }, a: { value: ['x', 'y'] }, n: { value: 7 } }, null, 2)}\n`,
    );
  });
});

describe('metadata.csv', () => {
  it('has a line per value, in render order', () => {
    const fields = [field('later', { position: 2 }), field('first', { position: 1 }), field('none', { position: 3 })];
    expect(readCsv([asCsv(answered(fields, { later: ['x', 'y'], first: true }))])[0]).toEqual([
      ['name', 'label', 'value'],
      ['first', 'The first', 'true'],
      ['later', 'The later', 'x'],
      ['later', 'The later', 'y'],
      ['none', 'The none', ''],
    ]);
  });

  it('escapes what parsers and spreadsheets would misread or run', () => {
    const [rows] = readCsv([asCsv(answered([field('x', { label: '=1+1' })], { x: nasty }))]);
    const formula = /^[=+\-@\t\r]/;
    const guarded = (text: string) => (formula.test(text) ? `'${text}` : text);
    expect(rows!.slice(1)).toEqual(nasty.map((text) => ['x', "'=1+1", guarded(text)]));
    for (const cell of rows!.flat()) expect(cell).not.toMatch(formula);
  });
});

describe('metadata.xml', () => {
  it('has a field per field and a value per value', () => {
    const fields = [
      field('later', { position: 2, type: 'checkbox' }),
      field('first', { position: 1, label: 'A "b" <c> & d' }),
      field('none'),
    ];
    expect(readXml([asXml(answered(fields, { later: ['x', 'y'], first: 5 }))])[0]).toEqual({
      root: { id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b', form: 'Camera "A" & <B>' },
      fields: [
        ['none', 'The none', 'short_text', []],
        ['first', 'A "b" <c> & d', 'short_text', ['5']],
        ['later', 'The later', 'checkbox', ['x', 'y']],
      ],
    });
  });

  it('keeps every text but for characters that XML cannot hold', () => {
    const [read] = readXml([asXml(answered([field('x', { label: 'a\tb\nc\u0000' })], { x: nasty }))]);
    expect(read!.fields).toEqual([['x', 'a\tb\nc\ufffd', 'short_text', nasty.map(holdable)]]);
  });
});

it('other parsers read any answer back unchanged', () => {
  const texts = fc.array(
    fc.string({ unit: anyCharacter, maxLength: 30 }).filter((text) => text.isWellFormed() && text !== ''),
    { maxLength: 5 },
  );
  const samples = fc.sample(texts, { numRuns: 300, seed: 7 });
  const all = samples.map((values) => answered([field('x')], { x: values }));
  expect(readXml(all.map(asXml)).map((read) => read.fields[0]![3])).toEqual(samples.map((values) => values.map(holdable)));
  const unguarded = (cell: string) => (/^'[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(cell) ? cell.slice(1) : cell);
  // Python's csv takes no NUL, and no answer holds one (it is refused when it is given).
  const storable = samples.map((values) => values.map((value) => value.replaceAll('\0', '')).filter((value) => value !== ''));
  const rows = readCsv(storable.map((values) => asCsv(answered([field('x')], { x: values }))));
  expect(rows.map((lines) => lines.slice(1).map((cells) => unguarded(cells[2]!)))).toEqual(
    storable.map((values) => (values.length === 0 ? [''] : values.map(unguarded))),
  );
  for (const { answers, id, form } of all) expect(JSON.parse(asJson({ answers, id, form }))).toEqual({ id, ...answers });
});
