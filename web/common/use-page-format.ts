import { useMemo, useSyncExternalStore } from 'react';
import type { Locale } from '#ui/locale.ts';
import { type CommonMessages, createPageFormat, type Format } from './format.ts';
import { serviceSentences } from './service-sentences.ts';

/** The page's format, again once what the service says can be shown in the page's language. */
export function usePageFormat<Messages extends CommonMessages>(locale: Locale<Messages>): Format<Messages> {
  const said = useSyncExternalStore(serviceSentences.subscribe, serviceSentences.said);
  return useMemo(() => createPageFormat(locale, said), [locale, said]);
}
