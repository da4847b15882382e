import { useCallback } from 'react';
import { AgentFailure } from '../agent/failure.ts';
import { useTongue, type Words } from './words.ts';

/**
 * The sentence to show for anything that was thrown. What the agent says of its own comes as it said it, which is
 * English: the catalogue of errors is one for people, scripts and logs.
 */
export function faultWords(error: unknown, { app }: Words): string {
  if (!(error instanceof AgentFailure)) return error instanceof Error ? error.message : String(error);
  if (error.kind === 'offline') return app.faults.offline;
  if (error.is('session_is_nil')) return app.faults.signedOut;
  return error.message;
}

/** `faultWords` in the page's language. */
export function useFaultWords(): (error: unknown) => string {
  const { words } = useTongue();
  return useCallback((error: unknown) => faultWords(error, words), [words]);
}
