import { useMemo } from 'react';
import { type Speaking as SpeakingOf, speakingOf } from '../../common/speaking.ts';
import { useTongue, type Words } from '../../words/portal.ts';

export type Speaking = SpeakingOf<Words>;

export function useSpeaking(): Speaking {
  const tongue = useTongue();
  return useMemo(() => speakingOf(tongue), [tongue]);
}
