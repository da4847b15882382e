import { type ReactNode, useCallback } from 'react';
import { AgentFailure } from '../agent/failure.ts';
import { type Messages, useLocale } from './locale.ts';
import { failureWords, type Said } from './said.ts';
import { Spoken } from './spoken.tsx';

/** What to say of anything that was thrown, in the page's language as far as there are words. */
export function faultWords(error: unknown, messages: Messages): Said {
  const { faults } = messages.app;
  const own = (text: string): Said => [{ text, english: false }];
  if (!(error instanceof AgentFailure)) return own(error instanceof Error ? error.message : String(error));
  if (error.kind === 'offline') return own(faults.offline);
  // A proxy in between, or whatever else answered in the agent's place.
  if (error.code === 0) return own(faults.status(String(error.status)));
  return failureWords(error, messages);
}

/** `faultWords`, ready to be shown. */
export function useFaultWords(): (error: unknown) => ReactNode {
  const { messages } = useLocale();
  return useCallback((error: unknown) => <Spoken said={faultWords(error, messages)} />, [messages]);
}
