import { type ReactNode, useCallback } from 'react';
import { useLocale } from './locale.ts';
import { Localized } from './localized.tsx';
import { faultText } from './localized-text.ts';

/** `faultText` as a React node. */
export function useFaultText(): (error: unknown) => ReactNode {
  const { messages } = useLocale();
  return useCallback((error: unknown) => <Localized text={faultText(error, messages)} />, [messages]);
}
