import type { SameShape } from '#ui/locale.ts';
import { handovers as de } from '../messages/de/handovers.ts';
import { handovers as en } from '../messages/en/handovers.ts';
import { useLocale } from '../messages/locale.ts';

type Texts = SameShape<typeof en>;

const texts: Readonly<Record<'en' | 'de', Texts>> = { en, de };

/** The dialog's messages. They come with its code, so that the page's first load is without them. */
export const useHandoverTexts = (): Texts => texts[useLocale().language];
