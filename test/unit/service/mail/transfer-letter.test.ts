import { describe, expect, it } from 'vitest';
import { plainBrand } from '#service/mail/brand.ts';
import { htmlPart } from '#service/mail/html-part.ts';
import { reasonIn } from '#service/mail/reason.ts';
import { textPart } from '#service/mail/text-part.ts';
import { transferLetter } from '#service/mail/transfer-letter.ts';

const plain = plainBrand('');
const facts = {
  packageName: 'Day 12',
  provider: 'Amazon S3',
  folder: 'Longshore/Day 12',
  files: 1_200,
  bytes: 1_440_000_000,
  failed: false,
  message: { text: '', language: 'en' },
} as const;

describe('the message about a transfer', () => {
  it.each([
    ['en', '“Day 12” has been transferred', '1,200 files, 1.4 GB', 'Folder'],
    ['de', '„Day 12“ wurde übertragen', '1.200 Dateien, 1,4 GB', 'Ordner'],
  ] as const)('says in %s what has arrived, and where', (language, subject, content, folder) => {
    const letter = transferLetter(facts, language, 'files.example.com');
    expect(letter.subject).toBe(subject);
    expect(letter.note).toBeNull();
    const text = textPart(letter, plain);
    for (const part of [content, 'Amazon S3', 'files.example.com']) expect(text).toContain(part);
    expect(text).toMatch(new RegExp(`^${folder}: +Longshore/Day 12$`, 'm'));
    expect(htmlPart(letter, plain)).toContain(`<html lang="${language}">`);
  });

  it.each([
    ['en', 'The storage is full. Make room, then retry.', 'What happened', 'The storage is full. Make room, then retry.'],
    [
      'de',
      'The storage is full. Make room, then retry.',
      'Was geschehen ist',
      'Der Speicher ist voll. Schaffen Sie Platz, und versuchen Sie es noch einmal.',
    ],
    ['de', 'The moon is full.', 'Was geschehen ist (auf Englisch)', 'The moon is full.'],
  ] as const)('says in %s why it failed: %s', async (language, why, title, said) => {
    const message = await reasonIn(language, why);
    const letter = transferLetter({ ...facts, folder: '', failed: true, message }, language, 'files.example.com');
    expect(letter.note).toEqual({ title, lines: [said] });
    expect(textPart(letter, plain)).toContain(said);
    expect(letter.facts.map(({ value }) => value)).not.toContain('');
  });

  it.each(['en', 'de'] as const)('says in %s what there is to know though it is complete', (language) => {
    const letter = transferLetter({ ...facts, message: { text: 'A file was left out.', language: 'en' } }, language, 'files.example.com');
    expect(letter.note!.lines).toEqual(['A file was left out.']);
    expect(letter.subject).toContain('Day 12');
  });

  it('cannot be bent by a name', () => {
    const letter = transferLetter({ ...facts, packageName: `a\r\nBcc: x@example.com\u202e${'x'.repeat(500)}` }, 'en', 'files.example.com');
    expect(letter.subject).not.toMatch(/[\r\n\u202e]/u);
    expect(letter.subject.length).toBeLessThan(160);
  });
});
