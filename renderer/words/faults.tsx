import { type ReactNode, useCallback } from 'react';
import { AgentFailure } from '../agent/failure.ts';
import { failureWords, type Said } from './said.ts';
import { Spoken } from './spoken.tsx';
import { useTongue, type Words } from './words.ts';

/** What to say of anything that was thrown, in the page's language as far as there are words. */
export function faultWords(error: unknown, words: Words): Said {
  const { faults } = words.app;
  const own = (text: string): Said => [{ text, english: false }];
  if (!(error instanceof AgentFailure)) return own(error instanceof Error ? error.message : String(error));
  if (error.kind === 'offline') return own(faults.offline);
  // A proxy in between, or whatever else answered in the agent's place.
  if (error.code === 0) return own(faults.status(String(error.status)));
  return failureWords(error, words);
}

/** `faultWords`, ready to be shown. */
export function useFaultWords(): (error: unknown) => ReactNode {
  const { words } = useTongue();
  return useCallback((error: unknown) => <Spoken said={faultWords(error, words)} />, [words]);
}
