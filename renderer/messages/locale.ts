import { type Catalogues, createLocale } from '#ui/locale.ts';
import { de } from './de/index.ts';
import { en } from './en/index.ts';
import type { Messages } from './shape.ts';

export type { Messages } from './shape.ts';

/** The messages of every language. */
export const catalogues: Catalogues<Messages> = { en, de };
export const { localeFor, LocaleContext, useLocale } = createLocale(catalogues);
