import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answersOf } from '#service/mail/answers.ts';
import { cleanLines, isAddress, oneLine } from '#service/mail/clean.ts';
import { formatContent, formatMoment } from '#service/mail/format.ts';
import { type LetterFacts, letterFor } from '#service/mail/letter.ts';
import { anyCharacter } from '#test/support/any-text.ts';
import { northlight, sampleLetterFacts } from '#test/support/service/mail-facts.ts';

const letter = (facts: LetterFacts) => letterFor(facts, 'en');

describe('what a recipient is told', () => {
  it('is the sender, the contents, the size and the expiry', () => {
    expect(letter(sampleLetterFacts())).toEqual({
      subject: 'mia@example.com sent you “Dailies, day 12”',
      heading: 'Dailies, day 12',
      opening: 'mia@example.com sent you files.',
      facts: [
        { label: 'From', value: 'mia@example.com' },
        { label: 'Content', value: '3 files, 1.4 GB' },
        { label: 'Available until', value: '28 November 2026 at 14:00 UTC' },
      ],
      note: null,
      form: null,
      link: 'https://share.example.com/d/019aa1b2?secret=a&b',
      closing: 'You get this message because mia@example.com named your address. Whoever has the link can download the files.',
      button: 'Download',
      language: 'en',
    });
  });

  it('of an upload names the Portal, in its colour, with the note and the form', () => {
    const form = { name: 'Camera report', answers: [{ label: 'Notes', text: 'one\r\ntwo' }] };
    const made = letter(sampleLetterFacts({ portal: { ...northlight, copy: true }, description: 'First\n\n\n\nSecond', form }));
    expect(made).toMatchObject({
      subject: 'New upload in Northlight dailies: “Dailies, day 12”',
      opening: 'mia@example.com uploaded files to Northlight dailies. This is a copy for you.',
      note: { title: 'mia@example.com writes:', lines: ['First', '', 'Second'] },
      form: { title: 'Camera report', answers: [{ label: 'Notes', lines: ['one', 'two'] }] },
    });
  });

  it.each([
    [null, 'Needed. It is not in this message: ask the sender for it.'],
    [northlight, 'Needed. It is not in this message: your Team has it.'],
  ])('says of a password only that there is one', (portal, value) => {
    expect(letter(sampleLetterFacts({ portal, passwordNeeded: true })).facts).toContainEqual({ label: 'Password', value });
  });

  it('has a default heading for a form without a name', () => {
    const made = letter(sampleLetterFacts({ form: { name: ' \u200b', answers: [] }, portal: northlight }));
    expect(made).toMatchObject({ form: { title: 'Form' } });
  });
});

describe('a receipt', () => {
  it('names the recipients, the first twenty of many', () => {
    const recipients = Array.from({ length: 1_022 }, (_, n) => `r${n}@example.com`);
    const { facts, link, opening } = letter(sampleLetterFacts({ kind: 'receipt', recipients }));
    expect([link, opening]).toEqual([null, 'Your files are on their way: each recipient was sent a link.']);
    expect(facts[0]!.value).toBe(`${recipients.slice(0, 20).join(', ')}, and 1,002 more`);
  });

  it('for an upload contains no text of its sender', () => {
    const form = { name: 'F', answers: [{ label: 'A', text: 'written by the sender' }] };
    const facts = sampleLetterFacts({
      kind: 'receipt',
      portal: northlight,
      packageName: 'written by the sender',
      description: 'written by the sender',
      sender: 'victim@example.com',
      form,
    });
    const made = letter(facts);
    expect(JSON.stringify(made)).not.toMatch(/written by|victim/);
    expect(made).toMatchObject({ subject: 'Your upload to Northlight dailies has arrived', heading: 'Your upload has arrived' });
    expect(made.facts[0]).toEqual({ label: 'Uploaded to', value: 'Northlight dailies' });
  });
});

describe('text that others wrote', () => {
  const anyText = fc.string({ unit: anyCharacter, maxLength: 400 });

  it('cannot break lines, hide text or reverse its surroundings in a letter', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (packageName, description, name) => {
        const form = { name, answers: [{ label: name, text: description }] };
        const {
          note,
          form: answered,
          ...rest
        } = letter(sampleLetterFacts({ packageName, description, portal: { ...northlight, name }, form }));
        const lines = [
          ...[rest.subject, rest.heading, rest.opening, rest.closing, ...rest.facts.map(({ value }) => value)],
          ...[note?.title ?? '', ...(note?.lines ?? [])],
          ...[answered!.title, ...answered!.answers.flatMap((answer) => [answer.label, ...answer.lines])],
        ];
        for (const line of lines) {
          expect(line).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\ufeff]/u);
          expect(line.isWellFormed()).toBe(true);
        }
        expect([...rest.subject].length).toBeLessThan(240);
        expect(note?.lines.length ?? 0).toBeLessThanOrEqual(400);
      }),
    );
  });

  it('is cut between characters, not within one', () => {
    expect(oneLine('𝄞𝄞𝄞𝄞', 3)).toBe('𝄞𝄞…');
    expect(oneLine('𝄞𝄞𝄞', 3)).toBe('𝄞𝄞𝄞');
    expect(oneLine(' a\r\n\tb\u2028c ')).toBe('a b c');
  });

  it.each([
    ['', []],
    ['\n\n', []],
    ['\n a', [' a']],
    ['a\n\n\nb\n', ['a', '', 'b']],
    ['a\vb\fc\u0085d\u2029e\re', ['a', 'b', 'c', 'd', 'e', 'e']],
    ['a\tb \u202e', ['a    b']],
  ])('%j is the lines %j', (text, lines) => {
    expect(cleanLines(text)).toEqual(lines);
  });

  it.each([
    ['mia@example.com', true],
    ['müller@exämple.com', true],
    ['a@b@c', false],
    ['a b@c', false],
    ['<a@b>', false],
    ['a@b\r\nBcc: x@y', false],
    ['a,b@c', false],
    [`${'a'.repeat(250)}@b.cd`, false],
    ['', false],
  ])('%j is an address: %s', (text, is) => {
    expect(isAddress(text)).toBe(is);
  });
});

describe('numbers and times', () => {
  it.each([
    [1, 0, '1 file, 0 bytes'],
    [0, 1, '0 files, 1 byte'],
    [2, 999, '2 files, 999 bytes'],
    [2, 1_000, '2 files, 1 kB'],
    [1_234, 999_499, '1,234 files, 999 kB'],
    [2, 999_500, '2 files, 1 MB'],
    [2, 99_940_000_000, '2 files, 99.9 GB'],
    [2, 99_950_000_000, '2 files, 100 GB'],
    [70_000, Number.MAX_SAFE_INTEGER, '70,000 files, 9 PB'],
  ])('%d files of %d bytes are %s', (files, bytes, text) => {
    expect(formatContent(files, bytes, 'en')).toBe(text);
  });

  it('say their zone', () => {
    expect(formatMoment(new Date('2026-01-01T00:05:00+01:00'), 'en')).toBe('31 December 2025 at 23:05 UTC');
    expect(letter(sampleLetterFacts({ expiry: null })).facts).toContainEqual({ label: 'Available until', value: 'No end set' });
  });
});

describe("a form's answers", () => {
  it.each([
    ['2026-11-28', 'en', '28 November 2026'],
    ['2026-03-01', 'de', '1. März 2026'],
    ['2026-02-30', 'en', '2026-02-30'],
    ['2026-99-99', 'en', '2026-99-99'],
    ['next week', 'en', 'next week'],
  ] as const)('have a date as people write it: %s in %s', (value, language, text) => {
    const fields = [{ ...field('shot', 1), type: 'date' as const }];
    const form = { name: 'F', delivery_formats: ['email_body' as const], fields };
    expect(answersOf(form, { shot: { value } }, language)).toEqual([{ label: 'shot', text }]);
  });

  const field = (name: string, position: number, label = name) =>
    ({ name, label, position, type: 'short_text', visibility: 'optional' }) as const;

  it('are in the order of the form, with words for yes and no; missing ones are left out', () => {
    const fields = [field('c', 3), field('a', 1, 'Camera'), field('b', 2, ''), field('d', 4), field('e', 5), field('toString', 6)];
    const form = { name: 'F', delivery_formats: ['email_body' as const], fields };
    const values = { a: { value: ['A', 'B'] }, b: { value: true }, c: { value: 12.5 }, d: { value: '  ' }, gone: { value: 'x' } };
    expect(answersOf(form, values, 'en')).toEqual([
      { label: 'Camera', text: 'A, B' },
      { label: 'b', text: 'Yes' },
      { label: 'c', text: '12.5' },
    ]);
  });
});
