import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { applyAppearance } from '#ui/appearance.ts';
import { useDocumentLanguage } from '#ui/locale.ts';
import { LocaleContext, localeFor } from '../messages/locale.ts';
import { useSettings } from '../settings/queries.ts';
import { browserStorage, readStoredSettings, storeSettings } from '../settings/stored-settings.ts';

/** Gives the page its language and theme: from the settings, otherwise from the browser. */
export function LocaleProvider({ children }: { children: ReactNode }) {
  const { data } = useSettings();
  const [stored] = useState(() => readStoredSettings(browserStorage()));
  const { appearance, language } = data ?? stored;
  const locale = useMemo(() => localeFor(language ? [language, ...navigator.languages] : navigator.languages), [language]);
  useEffect(() => {
    if (data) storeSettings(browserStorage(), data);
  }, [data]);
  useEffect(() => applyAppearance(document, appearance), [appearance]);
  useDocumentLanguage(locale.language);
  return <LocaleContext value={locale}>{children}</LocaleContext>;
}
