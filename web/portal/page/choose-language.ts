import { createContext } from 'react';
import type { Language } from '../../words/words.ts';

/** Changes the page's language. */
export const ChooseLanguage = createContext<(language: Language) => void>(() => undefined);
