import { type Context, createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { type Language, type Locale, languageNames, languages, useDocumentLanguage } from '#ui/locale.ts';

/** The key in the browser's storage under which a chosen language is kept. */
const key = 'longshore-language';

const ChooseLanguage = createContext<(language: Language) => void>(() => undefined);

interface LanguageProviderProps<Messages> {
  readonly localeFor: (wanted: readonly string[]) => Locale<Messages>;
  readonly context: Context<Locale<Messages>>;
  readonly children: ReactNode;
}

/** Gives a page its language: the one that the person chose at this or an earlier visit, else the browser's. */
export function LanguageProvider<Messages>({ localeFor, context: LocaleContext, children }: LanguageProviderProps<Messages>) {
  const [chosen, setChosen] = useState(keptLanguage);
  const locale = useMemo(
    // The browser's own tag of the chosen language says more, such as en-GB.
    () => localeFor(chosen === null ? navigator.languages : [...navigator.languages.filter((one) => one.startsWith(chosen)), chosen]),
    [localeFor, chosen],
  );
  useDocumentLanguage(locale.language);
  const choose = (language: Language): void => {
    setChosen(language);
    try {
      localStorage.setItem(key, language);
    } catch {
      // Not saved: the person chooses again at the next visit.
    }
  };
  return (
    <LocaleContext value={locale}>
      <ChooseLanguage value={choose}>{children}</ChooseLanguage>
    </LocaleContext>
  );
}

export function LanguageChoice({ language, label }: { readonly language: Language; readonly label: string }) {
  const choose = useContext(ChooseLanguage);
  return (
    <select className="input language" aria-label={label} value={language} onChange={(event) => choose(event.target.value as Language)}>
      {languages.map((code) => (
        <option key={code} value={code} lang={code}>
          {languageNames[code]}
        </option>
      ))}
    </select>
  );
}

function keptLanguage(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
