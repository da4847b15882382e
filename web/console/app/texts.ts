import { createContext, useContext, useMemo } from 'react';
import { createFormat, type Format, formatDuration, formatMoment } from '#ui/format.ts';
import type { Language, SameShape } from '#ui/locale.ts';
import { de } from '../../messages/de/console/shell.ts';
import { en } from '../../messages/en/console/shell.ts';

/** The language of the console, and the BCP 47 tag by which numbers and dates are formatted. */
export interface ConsoleLanguage {
  readonly language: Language;
  readonly tag: string;
}

export const LanguageContext = createContext<ConsoleLanguage>({ language: 'en', tag: 'en' });

/** The texts of a part of the console in the person's language, and formatters. */
export interface Texts<Messages> extends Format<Messages> {
  readonly language: Language;
  /** Formats seconds. */
  readonly duration: (seconds: number) => string;
  /** The time of today, or the date with the time. */
  readonly moment: (iso: string) => string;
  /** A date with its time in full, such as for a tooltip. */
  readonly exactly: (iso: string) => string;
}

const shell = { en, de };

/** `const { messages, size } = useTexts({ en, de })`, with the texts that belong to the view. */
export function useTexts<Messages>(catalogues: { readonly en: Messages; readonly de: SameShape<Messages> }): Texts<SameShape<Messages>> {
  const { language, tag } = useContext(LanguageContext);
  const messages = catalogues[language] as SameShape<Messages>;
  return useMemo(
    () => ({
      ...createFormat({ messages, tag }, shell[language].files),
      language,
      duration: (seconds) => formatDuration(seconds, tag),
      moment: (iso) => formatMoment(iso, new Date(), tag),
      exactly: (iso) => new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeStyle: 'short' }).format(new Date(iso)),
    }),
    [messages, language, tag],
  );
}

/** The texts of the shell, and of what all views share. */
export const useShellTexts = (): Texts<SameShape<typeof en>> => useTexts(shell);
