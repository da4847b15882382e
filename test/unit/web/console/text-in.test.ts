import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement, type ReactElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { ServiceError } from '#client/errors.ts';
import type { Language } from '#ui/locale.ts';
import { textIn } from '#web/console/app/text-in.ts';
import { LanguageContext } from '#web/console/app/texts.ts';
import { useFaultText } from '#web/console/ui/fault-text.ts';
import { de } from '#web/messages/de/console/profile.ts';
import { de as shellDe } from '#web/messages/de/console/shell.ts';
import { en } from '#web/messages/en/console/profile.ts';
import { en as shellEn } from '#web/messages/en/console/shell.ts';

/** What is read of it where this language is spoken. */
const readIn = (language: Language, words: ReactNode): string =>
  renderToStaticMarkup(
    createElement(
      QueryClientProvider,
      { client: new QueryClient() },
      createElement(LanguageContext, { value: { language, tag: language } }, words),
    ),
  );

it('what is told once is read in the language of whenever it is read', () => {
  const told = textIn({ en, de }, ({ messages }, shell) => `${messages.person.saved} ${shell.roles.owner}`);
  expect(readIn('en', told)).toBe(`${en.person.saved} ${shellEn.roles.owner}`);
  expect(readIn('de', told)).toBe(`${de.person.saved} ${shellDe.roles.owner}`);
  expect(en.person.saved).not.toBe(de.person.saved);
});

it('so is what is told of a failure', () => {
  const error = new ServiceError('unavailable', {}, { answered: 503 });
  let told: ReactElement | null = null;
  const Failing = () => {
    told = useFaultText()(error);
    return null;
  };
  readIn('en', createElement(Failing));
  expect([readIn('en', told), readIn('de', told)]).toEqual([shellEn.faults.busy, shellDe.faults.busy]);
});
