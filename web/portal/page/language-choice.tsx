import { useContext } from 'react';
import { catalogues, type Language, useTongue } from '../../words/words.ts';
import { ChooseLanguage } from './choose-language.ts';

export function LanguageChoice() {
  const { language, words } = useTongue();
  const choose = useContext(ChooseLanguage);
  return (
    <select
      className="input language"
      aria-label={words.chooseLanguage}
      value={language}
      onChange={(event) => choose(event.target.value as Language)}
    >
      {Object.entries(catalogues).map(([code, one]) => (
        <option key={code} value={code} lang={code}>
          {one.language}
        </option>
      ))}
    </select>
  );
}
