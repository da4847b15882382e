import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/**
 * All texts at 1 and at 2, in both languages: “1 file”, never “1 files”. Which words have a plural is learnt from the texts
 * that take `one`; none of these plurals, and no plural verb after their singulars, may then stand after a 1 anywhere.
 */
const root = join(import.meta.dirname, '../../..');
const sources = [
  'renderer/messages/{en,de}/*.ts',
  'web/messages/{en,de}/**/*.ts',
  'ui/form/messages/*.ts',
  'web/download/save/messages.ts',
  'service/mail/*messages.ts',
];

/** Texts whose number is never 1. */
const neverOne = new Set([
  'about.licences.count',
  'get.tooMany',
  'settings.applications.after',
  'settings.applications.times',
  'transfers.left.days',
  'transfers.detail.receipt.first',
  'problems.tooLong',
  'password.atLeast',
  'password.tooShort',
  'fields.atLeast',
  'fields.tooShort',
  'filters.tooMany',
  'usage.tooLong',
  'send.passwordHint',
  'faults.damaging',
]);

type Text = (...values: unknown[]) => unknown;
interface Entry {
  readonly at: string;
  readonly language: 'en' | 'de';
  readonly text: Text;
  readonly parameters: readonly string[];
}

const parametersOf = (text: Text): string[] =>
  (/^\(?([^)=]*)\)?\s*=>/.exec(String(text))?.[1] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

function* entriesIn(value: unknown, at: string, language: 'en' | 'de'): Generator<Entry> {
  if (typeof value === 'function') {
    const text = value as Text;
    yield { at, language, text, parameters: parametersOf(text) };
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      yield* entriesIn(inner, `${at}.${name}`, name === 'en' || name === 'de' ? name : language);
    }
  }
}

const entries: Entry[] = [];
for (const path of sources.flatMap((source) => globSync(source, { cwd: root })).sort()) {
  const language = /[/](de)(?:[/.])/.test(path) ? 'de' : 'en';
  for (const [name, value] of Object.entries((await import(join(root, path))) as Record<string, unknown>)) {
    entries.push(...entriesIn(value, `${path.replace(/^.*messages[/](?:console[/])?/, '').replace('.ts', '')}:${name}`, language));
  }
}

/** `files` and its like come with their word; all else that could be a number is given as one. */
const fileWords = { en: ['file', 'files'], de: ['Datei', 'Dateien'] } as const;
const isFlag = (name: string): boolean => /^_?(one|is[A-Z]\w*|has[A-Z]\w*|single)$/.test(name);

function say({ text, parameters, language }: Entry, one: boolean): string {
  const n = one ? '1' : '2';
  const values = parameters.map((name) => {
    if (isFlag(name)) return one;
    if (name === 'files') return `${n} ${fileWords[language][one ? 0 : 1]}`;
    return /^(?:day|when|until|time|duration)$/.test(name) ? '…' : /^(?:used|limit|size|amount)$/.test(name) ? `${n} GB` : n;
  });
  try {
    return String(text(...values));
  } catch {
    // It takes something else than texts and numbers.
    return '';
  }
}

const wordAfter = (number: string, text: string): string | undefined => new RegExp(`\\b${number} (\\p{L}+)`, 'u').exec(text)?.[1];

/** The singular and plural of each language's words, from the texts that have both. */
const plurals = { en: new Set(['files']), de: new Set(['Dateien']) };
const singulars = { en: new Set(['file']), de: new Set(['Datei']) };
for (const entry of entries.filter(({ parameters }) => parameters.some(isFlag))) {
  const [one, two] = [wordAfter('1', say(entry, true)), wordAfter('2', say(entry, false))];
  if (one === undefined || two === undefined || one === two) continue;
  // German nouns begin with a capital; adjectives are the same in “1 weitere (Datei)” and “2 weitere”.
  if (entry.language === 'de' && !/^\p{Lu}/u.test(two)) continue;
  plurals[entry.language].add(two);
  singulars[entry.language].add(one);
}
for (const word of ['characters', 'addresses', 'names', 'seconds', 'minutes', 'hours', 'times']) plurals.en.add(word);
for (const word of ['Tagen', 'Adressen', 'Namen', 'Paketen', 'Portalen', 'Einträgen', 'Übertragungen']) plurals.de.add(word);
for (const language of ['en', 'de'] as const) for (const word of singulars[language]) plurals[language].delete(word);

const manyVerbs = { en: ['are', 'were', 'have', 'do', 'go', 'need', 'wait'], de: ['sind', 'waren', 'werden', 'wurden', 'haben', 'können'] };

it('learns the words from many texts', () => {
  expect(entries.length).toBeGreaterThan(500);
  expect([...plurals.en]).toEqual(expect.arrayContaining(['packages', 'days', 'entries', 'transfers', 'members', 'downloads']));
  expect([...plurals.de]).toEqual(expect.arrayContaining(['Pakete', 'Tage', 'Einträge', 'Übertragungen', 'Mitglieder', 'Downloads']));
});

it('says a single thing in the singular', () => {
  const wrong = entries.flatMap((entry) => {
    const name = entry.at.replace(/^[^:]*:/, '').replace(/^(?:en|de)\./, '');
    const place = `${entry.at.replace(/:.*/, '').replace(/.*[/]/, '')}.${name}`;
    if (neverOne.has(name) || neverOne.has(place) || [...neverOne].some((one) => name.endsWith(`.${one}`))) return [];
    const text = say(entry, true);
    const [many, verbs] = [[...plurals[entry.language]].join('|'), manyVerbs[entry.language].join('|')];
    const found =
      new RegExp(`(?<![\\d.,] |\\p{L})1 (?:${many})(?!\\p{L})`, 'u').exec(text) ??
      new RegExp(`(?<!\\p{L})1 (?:(?:${[...singulars[entry.language]].join('|')}) )?(?:${verbs})(?!\\p{L})`, 'u').exec(text);
    return found ? [`${entry.language} ${entry.at}: ${text}`] : [];
  });
  expect(wrong).toEqual([]);
});
