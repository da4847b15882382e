import type { SameShape } from '#ui/locale.ts';
import { open as de } from '../messages/de/open.ts';
import { open as en } from '../messages/en/open.ts';
import { useLocale } from '../messages/locale.ts';

export type OpenTexts = SameShape<typeof en>;

const texts: Readonly<Record<'en' | 'de', OpenTexts>> = { en, de };

/** The dialog's messages. They come with its code, so that the page's first load is without them. */
export const useOpenTexts = (): OpenTexts => texts[useLocale().language];
