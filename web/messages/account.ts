import { createContext, useContext } from 'react';
import { de } from './de/account.ts';
import type { Messages } from './en/account.ts';
import { en } from './en/account.ts';
import { type Locale, localeIn } from './locale.ts';

export type { Messages } from './en/account.ts';

/** The messages of the pages of invitations and forgotten passwords. */
export const localeFor = (wanted: readonly string[]): Locale<Messages> => localeIn({ en, de }, wanted);
export const LocaleContext = createContext<Locale<Messages>>(localeFor([]));
export const useLocale = (): Locale<Messages> => useContext(LocaleContext);
