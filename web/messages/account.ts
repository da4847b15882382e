import { createLocale } from '#ui/locale.ts';
import { de } from './de/account.ts';
import { en, type Messages } from './en/account.ts';

export type { Messages } from './en/account.ts';

export const { localeFor, LocaleContext, useLocale } = createLocale<Messages>({ en, de });
