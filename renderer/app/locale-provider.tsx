import { type ReactNode, useEffect, useState } from 'react';
import { applyAppearance } from '#ui/appearance.ts';
import { useDocumentLanguage } from '#ui/locale.ts';
import { type Locale, LocaleContext, loadLocale } from '../messages/locale.ts';
import { useSettings } from '../settings/queries.ts';
import { browserStorage, readStoredSettings, storeSettings } from '../settings/stored-settings.ts';

/** The languages that a person wants, the chosen one first. */
const wantedOf = (chosen: string): readonly string[] => (chosen ? [chosen, ...navigator.languages] : navigator.languages);

/** The messages that the page starts with, by what this browser has stored. */
export const loadFirstLocale = (): Promise<Locale> => loadLocale(wantedOf(readStoredSettings(browserStorage()).language));

/** Gives the page its language and theme: from the settings, otherwise from the browser. */
export function LocaleProvider({ first, children }: { first: Locale; children: ReactNode }) {
  const { data } = useSettings();
  const [stored] = useState(() => readStoredSettings(browserStorage()));
  const [locale, setLocale] = useState(first);
  const { appearance, language } = data ?? stored;
  useEffect(() => {
    let current = true;
    // Where the other messages cannot be loaded, the page stays readable in those it has.
    loadLocale(wantedOf(language)).then(
      (loaded) => current && setLocale((before) => (isSame(before, loaded) ? before : loaded)),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [language]);
  useEffect(() => {
    if (data) storeSettings(browserStorage(), data);
  }, [data]);
  useEffect(() => applyAppearance(document, appearance), [appearance]);
  useDocumentLanguage(locale.language);
  return <LocaleContext value={locale}>{children}</LocaleContext>;
}

const isSame = (one: Locale, other: Locale): boolean => one.messages === other.messages && one.tag === other.tag;
