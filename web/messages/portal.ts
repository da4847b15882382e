import { createContext, useContext } from 'react';
import { de } from './de/portal.ts';
import type { Messages } from './en/portal.ts';
import { en } from './en/portal.ts';
import { type Locale, localeIn } from './locale.ts';

export type { Messages } from './en/portal.ts';

/** The messages of the upload page. */
export const localeFor = (wanted: readonly string[]): Locale<Messages> => localeIn({ en, de }, wanted);
export const LocaleContext = createContext<Locale<Messages>>(localeFor([]));
export const useLocale = (): Locale<Messages> => useContext(LocaleContext);
