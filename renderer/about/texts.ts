import type { SameShape } from '#ui/locale.ts';
import { about as de } from '../messages/de/about.ts';
import { about as en } from '../messages/en/about.ts';
import { useLocale } from '../messages/locale.ts';

type Texts = SameShape<typeof en>;

const texts: Readonly<Record<'en' | 'de', Texts>> = { en, de };

/** The messages of the about page and of the list of keys. They come with its code, so that the page's first load is without them. */
export const useAboutTexts = (): Texts => texts[useLocale().language];
