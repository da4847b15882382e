import { expect, it } from 'vitest';
import { createLocale } from '#ui/locale.ts';

const { localeFor } = createLocale({ en: { hello: 'Hello' }, de: { hello: 'Hallo' } });

it.each([
  [['de-AT', 'en'], { language: 'de', tag: 'de-AT', messages: { hello: 'Hallo' } }],
  [['fr-FR', 'EN-gb'], { language: 'en', tag: 'EN-gb', messages: { hello: 'Hello' } }],
  [['fr'], { language: 'en', tag: 'en', messages: { hello: 'Hello' } }],
  [['constructor'], { language: 'en', tag: 'en', messages: { hello: 'Hello' } }],
  [[], { language: 'en', tag: 'en', messages: { hello: 'Hello' } }],
])('of %j it takes the first that has messages, else English', (wanted, locale) => {
  expect(localeFor(wanted)).toEqual(locale);
});
