import { type ReactNode, useEffect } from 'react';
import { Mark } from '#ui/icons.tsx';
import { type Language, languageNames, languages } from '#ui/locale.ts';
import { chooseLanguage } from './preferences.ts';
import { useShellTexts } from './texts.ts';

/** A page with one card in the middle, for people who are not at work in a Team yet. */
export function FullPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const { messages, language } = useShellTexts();
  useEffect(() => {
    document.title = `${title} · Longshore`;
  }, [title]);
  return (
    <main className="full-page">
      <div className="brand">
        <Mark />
        <span>Longshore</span>
      </div>
      <section className="card card-form">
        <h1>{title}</h1>
        {children}
      </section>
      <select
        className="input full-page-language"
        aria-label={messages.account.language}
        value={language}
        onChange={(event) => chooseLanguage(event.target.value as Language)}
      >
        {languages.map((code) => (
          <option key={code} value={code} lang={code}>
            {languageNames[code]}
          </option>
        ))}
      </select>
    </main>
  );
}
