import { type ReactNode, useCallback } from 'react';
import { AgentCallError } from '#client/agent-call-error.ts';
import { type Messages, useLocale } from './locale.ts';
import { Localized } from './localized.tsx';
import { errorText, type LocalizedText } from './localized-text.ts';

/** The text for anything that was thrown, translated as far as possible. */
export function faultText(error: unknown, messages: Messages): LocalizedText {
  const { faults } = messages.app;
  const own = (text: string): LocalizedText => [{ text, english: false }];
  if (!(error instanceof AgentCallError)) return own(error instanceof Error ? error.message : String(error));
  if (error.kind === 'offline') return own(faults.offline);
  // Not an answer of the agent: a proxy in between, for example.
  if (error.code === 0) return own(faults.status(String(error.status)));
  return errorText(error, messages);
}

/** `faultText` as a React node. */
export function useFaultText(): (error: unknown) => ReactNode {
  const { messages } = useLocale();
  return useCallback((error: unknown) => <Localized text={faultText(error, messages)} />, [messages]);
}
