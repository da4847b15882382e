import { type Language, languages, useChooseLanguage } from '../messages/locale.ts';

/** Each language's name in that language. */
const names: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

export function LanguageChoice({ language, label }: { readonly language: Language; readonly label: string }) {
  const choose = useChooseLanguage();
  return (
    <select className="input language" aria-label={label} value={language} onChange={(event) => choose(event.target.value as Language)}>
      {languages.map((code) => (
        <option key={code} value={code} lang={code}>
          {names[code]}
        </option>
      ))}
    </select>
  );
}
