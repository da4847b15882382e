import { createContext, useContext, useMemo } from 'react';
import { type Speaking as SpeakingOf, speakingOf } from '../common/speaking.ts';
import { de } from './de/download.ts';
import { en, type Words } from './en/download.ts';
import { type Tongue, tongueIn } from './tongue.ts';

export type { Words } from './en/download.ts';

/** The words of the download page. */
export const tongueFor = (wanted: readonly string[]): Tongue<Words> => tongueIn({ en, de }, wanted);
export const TongueContext = createContext<Tongue<Words>>(tongueFor([]));
export const useTongue = (): Tongue<Words> => useContext(TongueContext);

export type Speaking = SpeakingOf<Words>;

export function useSpeaking(): Speaking {
  const tongue = useTongue();
  return useMemo(() => speakingOf(tongue), [tongue]);
}
