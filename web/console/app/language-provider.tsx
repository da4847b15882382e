import { type ReactNode, useLayoutEffect, useMemo } from 'react';
import { applyAppearance } from '#ui/appearance.ts';
import { languages, useDocumentLanguage } from '#ui/locale.ts';
import { useAppearance, useChosenLanguage } from './preferences.ts';
import { type ConsoleLanguage, LanguageContext } from './texts.ts';

/** Gives the console its language and theme: what the person chose, else what the browser says. */
export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const chosen = useChosenLanguage();
  const appearance = useAppearance();
  const value = useMemo<ConsoleLanguage>(() => {
    const own = navigator.languages.map((tag) => ({ tag, language: languages.find((one) => one === tag.toLowerCase().split('-')[0]) }));
    // The browser's own tag of the chosen language says more, such as en-GB.
    const found = own.find(({ language }) => language !== undefined && (chosen === null || language === chosen));
    const language = chosen ?? found?.language ?? 'en';
    return { language, tag: found?.tag ?? language };
  }, [chosen]);
  useLayoutEffect(() => applyAppearance(document, appearance), [appearance]);
  useDocumentLanguage(value.language);
  return <LanguageContext value={value}>{children}</LanguageContext>;
}
