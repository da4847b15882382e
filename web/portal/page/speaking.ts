import { useMemo } from 'react';
import { type Speaking as SpeakingOf, speakingOf } from '../../common/speaking.ts';
import { type Messages, useLocale } from '../../messages/portal.ts';

export type Speaking = SpeakingOf<Messages>;

export function useSpeaking(): Speaking {
  const locale = useLocale();
  return useMemo(() => speakingOf(locale), [locale]);
}
