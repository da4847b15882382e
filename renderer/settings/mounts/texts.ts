import type { SameShape } from '#ui/locale.ts';
import { mounts as de } from '../../messages/de/mounts.ts';
import { mounts as en } from '../../messages/en/mounts.ts';
import { useLocale } from '../../messages/locale.ts';

const texts: Readonly<Record<'en' | 'de', SameShape<typeof en>>> = { en, de };

/** The messages of the mounts. They come with the settings' code, so that the page's first load is without them. */
export const useMountTexts = (): SameShape<typeof en> => texts[useLocale().language];
