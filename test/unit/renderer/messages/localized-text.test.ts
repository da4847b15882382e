import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AgentCallError } from '#client/agent-call-error.ts';
import { importedRecords, importPlan } from '#engine/automations/import.ts';
import { newRecord } from '#engine/automations/new-record.ts';
import type { AutomationRecord } from '#engine/automations/record.ts';
import type { WrittenAutomation } from '#engine/automations/rules/automations-yaml.ts';
import { AgentError, ApiError, type ErrorName, errorCatalogue } from '#protocol/errors.ts';
import { catalogues } from '#renderer/messages/catalogues.ts';
import { causeText } from '#renderer/messages/cause-text.ts';
import { mountPhrases } from '#renderer/messages/de/mount-phrases.ts';
import { phrases } from '#renderer/messages/de/phrases.ts';
import { yamlPhrases } from '#renderer/messages/de/yaml-phrases.ts';
import { asSentence, errorText, faultText, type LocalizedText, phraseText, plainText } from '#renderer/messages/localized-text.ts';
import { neverShown, type ShownError, shownErrors } from '#renderer/messages/shown-errors.ts';

const { en, de } = catalogues;
const placeholders = (template: string): string[] => [...template.matchAll(/\{(\w+)(?::\w+)?\}/g)].map(([, name]) => name!).sort();
/** The segments without a translation. */
const untranslated = (localized: LocalizedText): string[] => localized.filter(({ english }) => english).map(({ text }) => text);
const german = (name: ErrorName, details: Record<string, string | number> = {}) => errorText(new AgentError(name, details).body, de);

describe('the errors that the page shows', () => {
  it('are all of the catalogue but those listed as never shown', () => {
    expect([...shownErrors, ...neverShown].sort()).toEqual(Object.keys(errorCatalogue).sort());
    expect(Object.keys(en.agent.errors).sort()).toEqual([...shownErrors].sort());
    expect(Object.keys(de.agent.errors).sort()).toEqual([...shownErrors].sort());
  });

  it.each(shownErrors)('%s has a text in each language, with no values that the error does not have', (name: ShownError) => {
    const known = placeholders(errorCatalogue[name].message);
    for (const { agent } of [en, de]) for (const place of placeholders(agent.errors[name])) expect(known).toContain(place);
    expect(de.agent.errors[name]).not.toBe(en.agent.errors[name]);
    // What differs from case to case is not lost.
    if (known.includes('detail')) expect(placeholders(de.agent.errors[name])).toContain('detail');
  });

  it('have phrases that still stand in the sources', () => {
    const sources = globSync([
      '{engine,client,agent-api,service/sso}/**/*.ts',
      'protocol/{names,schema,schema-rules,sso-refusals}.ts',
      'storage/local/disk-errors.ts',
    ])
      .map((path) => readFileSync(path, 'utf8'))
      // Put together there with the names of types.
      .concat(['boolean', 'integer', 'array', 'object'].map((type) => `must be of type ${type}`))
      .join('\n');
    for (const [english, other] of Object.entries({ ...phrases, ...mountPhrases, ...yamlPhrases })) {
      const longest = english.split(/\{\w+\}/).sort((a, b) => b.length - a.length)[0]!;
      // A sentence may be put together of two, and end with a stop that stands elsewhere.
      const parts = longest
        .split(/(?<=[.!?]) |(?<=,) /)
        .map((part) => part.replace(/^(?:it is (?=a )|[\s:(]+)|[.\s]+$/g, '').replaceAll("'", "\\'"));
      for (const part of parts)
        expect(
          [part, part.replaceAll("\\'", "'")].some((one) => sources.includes(one)),
          part,
        ).toBe(true);
      for (const place of placeholders(other)) expect(placeholders(english)).toContain(place);
    }
  });
});

describe('an error of the agent', () => {
  it('is translated by its code, with its values', () => {
    expect(plainText(german('path_not_found', { path: '/media/A001' }))).toBe('Unter /media/A001 gibt es keine Datei und keinen Ordner.');
    expect(plainText(german('rate_limited', { seconds: 12 }))).toBe('Das waren zu viele Anfragen. Versuchen Sie es in 12 s noch einmal.');
    expect(plainText(errorText(new ApiError('access_code_wrong').body, en))).toBe('The access code is missing or wrong.');
  });

  it('keeps what it is about, before a translated reason', () => {
    const waits = 'day 12: A001C014.mov: It has to be still for 12 s more.';
    expect(plainText(phraseText(waits, de))).toBe('day 12: A001C014.mov: Sie muss noch 12 s ruhen.');
    expect(plainText(phraseText(waits, en))).toBe(waits);
    const unknown = 'A001.mov: The moon is in the wrong phase.';
    expect(phraseText(unknown, de)).toEqual([{ text: unknown, english: true }]);
    expect(phraseText('Line 12: The moon is in the wrong phase.', de)).toEqual([
      { text: 'Zeile 12: ', english: false },
      { text: 'The moon is in the wrong phase.', english: true },
    ]);
  });

  it('says in German whose a folder is', () => {
    const overlap = (detail: string) => german('folders_overlap', { folder: '/media/a', other: '/media', detail });
    expect(plainText(overlap('the automation "Cart"'))).toMatch(/^\/media\/a und \/media \(Automation „Cart“\) liegen ineinander: /);
    expect(plainText(overlap('the mount Archive'))).toMatch(/^\/media\/a und \/media \(Mount „Archive“\) /);
    expect(untranslated(overlap('the mount Archive'))).toEqual([]);
  });

  it('has moments as people read them', () => {
    const opens = 'Its time window opens at 2026-11-23T12:00:00.000Z.';
    expect(plainText(phraseText(opens, de))).toMatch(/^Das Zeitfenster öffnet Mo.*23\. Nov.*\.$/);
    expect(plainText(phraseText(opens, en))).toMatch(/^Its time window opens Mon.*Nov.*23.*\.$/);
    const waits = 'It waits for "Reel", which is due at 2026-11-23 12:00 UTC.';
    expect(plainText(phraseText(waits, de))).toMatch(/^Wartet auf „Reel“; das soll bis Mo.*23\. Nov.* fertig sein\.$/);
    expect(plainText(phraseText(waits, en))).toMatch(/^It waits for “Reel”, which is due Mon.*Nov.*23.*\.$/);
    expect(plainText(phraseText('Its time window opens at noon.', de))).toBe('Das Zeitfenster öffnet noon.');
  });

  it('is translated by its code alone if an older service has another sentence, unless values are needed', () => {
    expect(plainText(errorText({ code: errorCatalogue.link_expired.code, message: 'Too late.' }, de))).toBe(
      'Dieser Link ist abgelaufen. Bitten Sie den Absender um einen neuen.',
    );
    const gone = errorText({ code: errorCatalogue.path_not_found.code, message: 'Nothing there.' }, de);
    expect(gone).toEqual([{ text: 'Nothing there.', english: true }]);
  });

  it.each([
    [
      'translated if there is a translation',
      german('files_failed', {
        count: 2,
        total: 9,
        detail: new AgentError('path_unreadable', { path: '/a', detail: 'its path goes in circles.' }).message,
      }),
      '2 von 9 Dateien sind nicht durchgekommen. Die erste: /a lässt sich nicht lesen: Sein Pfad führt im Kreis.',
      [],
    ],
    [
      'in English, and marked, if there is none',
      german('move_failed', { detail: 'The storage failed with status 599: moon in the wrong phase' }),
      'Die Daten einer Datei kamen nicht durch: The storage failed with status 599: moon in the wrong phase',
      ['The storage failed with status 599: moon in the wrong phase'],
    ],
  ])('gives its details %s', (_, localized, text, english) => {
    expect(plainText(localized)).toBe(text);
    expect(untranslated(localized)).toEqual(english);
  });

  it('that is unknown stays as it came', () => {
    const localized = errorText({ code: 1, message: 'Something new.' }, de);
    expect(localized).toEqual([{ text: 'Something new.', english: true }]);
    expect(errorText({ code: 1, message: 'Something new.' }, en)).toEqual([{ text: 'Something new.', english: false }]);
  });
});

describe('a text with automations that is refused', () => {
  const own = { agent: { ...de.agent, phrases: { ...de.agent.phrases, ...yamlPhrases } } };
  const refusal = async (yaml: string) => {
    const teams = async () => [{ id: 't1', name: 'Northlight' }];
    const there = { id: '1', kind: 'portal_upload', fields: { name: 'Cart' }, secrets: {} } as unknown as AutomationRecord;
    const plan = importPlan(yaml, [there], teams).then((made) => {
      const create = ({ kind, fields }: WrittenAutomation) => newRecord(kind, fields, { id: '2', now: 0, restricted: false });
      return importedRecords(made, { create, get: () => there, now: 0 });
    });
    const thrown: unknown = await plan.then(
      () => null,
      (error: unknown) => error,
    );
    if (!(thrown instanceof ApiError)) throw new Error(`It is not refused: ${yaml}`);
    return errorText(thrown.body, own);
  };
  const one = (line: string): string =>
    `automations:\n  - name: Renders\n    kind: team_upload\n    team: Northlight\n    folder: /r\n    recipients: []\n    ${line}\n`;

  it.each([
    ['automations: [', 'Zeile 1: In einer Liste oder Zuordnung in Klammern fehlt ein Komma oder die schließende Klammer.'],
    [one('include: [*.mov]'), 'Zeile 7: „*“ verweist auf einen Wert, den „&“ bezeichnet, und den gibt es nicht.'],
    [one('package_name: "\\m"'), 'Zeile 7: In doppelten Anführungszeichen hat ein Backslash eine eigene Bedeutung. Setzen Sie'],
    [one('marker: a: b'), 'Zeile 7: Etwas gehört hier nicht hin: Die nächste Zeile'],
    [one('marker: @x'), 'Zeile 7: Mit diesem Zeichen kann kein Wert beginnen.'],
    [one('marker'), 'Zeile 7: Nach dem Namen eines Feldes stehen Doppelpunkt und Leerzeichen.'],
    [one(' marker: x'), 'Zeile 7: Die Einrückung passt nicht: '],
    [one('name: x'), 'Zeile 7: Dieses Feld steht schon da.'],
    [one('{a: b}: c'), 'Zeile 7: Der Name eines Feldes ist ein Text.'],
    [one('marker: "x'), 'Zeile 8: Ein Anführungszeichen ist nicht geschlossen.'],
    [one('marker: !x y'), 'Zeile 7: Kennzeichen (!…) werden nicht gelesen.'],
    [one('marker:'), 'Zeile 7: marker hat keinen Wert. Geben Sie einen an, oder entfernen Sie die Zeile.'],
    [one('marker: 7'), 'Zeile 7: marker muss ein Text sein: Setzen Sie ihn in Anführungszeichen.'],
    [one('recursive: maybe'), 'Zeile 7: recursive muss true oder false sein.'],
    [one('include: x'), 'Zeile 7: include muss eine Liste sein.'],
    [one('settle_seconds: 1.5'), 'Zeile 7: settle_seconds muss eine ganze Zahl sein.'],
    [one('settle_seconds: 100000'), 'Zeile 7: settle_seconds darf höchstens 86.400 sein.'],
    [one('after: burn'), 'Zeile 7: after muss eines von diesen sein: keep, move, delete.'],
    [one('after: move'), 'Zeile 2: Das Feld move_to fehlt: Es sagt, wohin Dateien verschoben werden.'],
    [one('due_at: soon'), 'Zeile 7: due_at muss ein Zeitpunkt sein wie 2026-11-20T18:04:11.000Z.'],
    [one('package_name: "{day}"'), 'Zeile 2: Das Feld package_name ist so nicht möglich: {day} steht für nichts. Nehmen Sie {name}, '],
    [one('schedule: { mon: 1 }'), 'Zeile 7: '],
    [one('expiry: x'), 'Zeile 7: team_upload hat kein Feld „expiry“, nur name, '],
    [one('x: 1').replace('Northlight', 'Fjord').replace('    x: 1\n', ''), 'Zeile 2: Ein Team „Fjord“ (in „Renders“) gibt es nicht.'],
    [one('team_id: t'), 'Zeile 4: Geben Sie team oder team_id an, nicht beide.'],
    [one('marker: x').replace('    team: Northlight\n', ''), 'Zeile 2: team_id fehlt.'],
    [one('marker: x').replace('Renders', 'Cart'), 'Zeile 2: „Cart“ gibt es schon, als portal_upload, und dabei bleibt es.'],
    ['automations:\n  - name: a\n', 'Zeile 2: kind fehlt: Geben Sie eines von diesen an: portal_upload, '],
    ['automations:\n  - kind: x\n', 'Zeile 2: kind ist "x": Geben Sie eines von diesen an: '],
    ['jobs: []', 'Zeile 1: „jobs“ gibt es hier nicht, nur „automations“.'],
    ['- a', 'Zeile 1: Beginnen Sie mit „automations:“, darunter eine Liste.'],
    ['a: 1\n---\nb: 2', 'Zeile 2: Da ist ein zweites Dokument (---). Behalten Sie eines.'],
  ])('is refused in German (%#)', async (yaml, german) => {
    const localized = await refusal(yaml);
    expect(plainText(localized)).toContain(german);
    expect(untranslated(localized)).toEqual([]);
  });
});

describe('a sentence without a code', () => {
  it.each([
    [
      'Nobody is signed in. Sign in, and it goes on by itself.',
      'Niemand ist angemeldet. Melden Sie sich an, dann geht es von selbst weiter.',
    ],
    ['/a/b.mov is being written to; it is sent when it is still.', 'In /a/b.mov wird noch geschrieben; gesendet wird sie, wenn sie ruht.'],
    ['The connection to the storage broke; trying again in 4 s.', 'Die Verbindung zum Speicher ist abgerissen. Nächster Versuch in 4 s.'],
    [
      'Too many requests. Try again in 9 s; trying again in 9 s.',
      'Das waren zu viele Anfragen. Versuchen Sie es in 9 s noch einmal. Nächster Versuch in 9 s.',
    ],
  ])('%s', (english, other) => {
    const localized = asSentence(phraseText(english, de));
    expect(plainText(localized)).toBe(other);
    expect(untranslated(localized)).toEqual([]);
    expect(plainText(asSentence(phraseText(english, en)))).toBe(english.replace('; trying', '. Trying'));
  });

  it('keeps values without a translation, marked as English', () => {
    const localized = phraseText(
      'The service at https://x.example cannot be reached: ECONNREFUSED. Check the address and the network; trying again in 2 s.',
      de,
    );
    expect(plainText(localized)).toBe(
      'Der Dienst unter https://x.example ist nicht zu erreichen (ECONNREFUSED). Prüfen Sie die Adresse und das Netz. Nächster Versuch in 2 s.',
    );
    expect(untranslated(localized)).toEqual(['ECONNREFUSED']);
  });
});

describe('the short text of a failure', () => {
  const missing =
    'The disk at /in has too little room: 490000000 more bytes are needed. Free some; work goes on by itself; trying again in 30 s.';
  it.each([
    [{ cause: 'disk_full', message: missing }, 'Disk full: 490 MB missing', 'Datenträger voll: 490 MB fehlen'],
    [{ cause: 'disk_full', message: 'There is no room left to write /in/a.' }, 'Disk full', 'Datenträger voll'],
    [
      { cause: 'disk_full', message: missing.replace('needed.', 'needed beside the 1500000000 that other downloads will fill.') },
      'Disk full: 490 MB missing',
      'Datenträger voll: 490 MB fehlen',
    ],
    [
      new AgentError('storage_full', { path: '/a', missing: 1_234_567 }).body,
      'Disk full: 1.2 MB missing',
      'Datenträger voll: 1,2 MB fehlen',
    ],
    [
      { cause: 'files_failed', message: new AgentError('files_failed', { count: 1204, total: 20000, detail: 'x' }).message },
      '1,204 of 20,000 files failed',
      '1.204 von 20.000 Dateien gescheitert',
    ],
    [{ cause: 'files_failed', message: 'Some failed.' }, 'Files failed', 'Dateien gescheitert'],
    [{ cause: 'something_new', message: 'Something new.' }, '', ''],
    [{ code: 1, message: 'Something new.' }, '', ''],
  ])('%o', (told, english, other) => {
    const spaces = (text: string) => text.replaceAll(/\s/g, ' ');
    expect([spaces(causeText(told, en)), spaces(causeText(told, de))]).toEqual([english, other]);
  });

  it('is short in every language, and the sentence formats numbers for its language', () => {
    for (const { agent } of [en, de]) {
      for (const text of Object.values(agent.causes)) expect(text.replace(/\[[^\]]*\]/g, '').length, text).toBeLessThan(40);
    }
    expect(plainText(phraseText(missing, de))).toMatch(/Es fehlen 490\sMB\./);
    expect(plainText(phraseText(missing, en))).toMatch(/490\sMB more is needed/);
    const many = new AgentError('files_failed', { count: 1204, total: 20000, detail: 'it is not there any more.' }).body;
    expect(plainText(errorText(many, de))).toContain('1.204 von 20.000 Dateien');
    expect(plainText(errorText(many, en))).toContain('1,204 of 20,000 files');
  });
});

describe('the text for anything thrown', () => {
  it.each([
    ['no answer', AgentCallError.offline(new Error('refused')), de.app.faults.offline],
    ['an answer of something else', AgentCallError.answered(502, '<h1>Bad gateway</h1>'), de.app.faults.status('502')],
    [
      'an error of the catalogue',
      AgentCallError.answered(401, JSON.stringify(new AgentError('session_is_nil').body)),
      de.agent.errors.session_is_nil,
    ],
    ['a fault of the page', new TypeError('x is undefined'), 'x is undefined'],
  ])('%s', (_, thrown, text) => {
    expect(plainText(faultText(thrown, de))).toBe(text);
  });
});
