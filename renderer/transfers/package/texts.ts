import type { SameShape } from '#ui/locale.ts';
import { sentPackage as de } from '../../messages/de/sent-package.ts';
import { sentPackage as en } from '../../messages/en/sent-package.ts';
import { useLocale } from '../../messages/locale.ts';

export type SentPackageTexts = SameShape<typeof en>;

const texts: Readonly<Record<'en' | 'de', SentPackageTexts>> = { en, de };

/** The messages of a sent package. They come with its code, so that the page's first load is without them. */
export const useSentPackageTexts = (): SentPackageTexts => texts[useLocale().language];
