import { useCallback } from 'react';
import { ServiceError } from '#client/errors.ts';
import { de } from '../../messages/de/console/security.ts';
import { en } from '../../messages/en/console/security.ts';
import { useTexts } from '../app/texts.ts';
import { PasskeyRefused } from './passkey.ts';

/** Runs a piece of work, and throws what went wrong with second factors in the person's own language. */
export function useSecurityFault(): <T>(work: () => Promise<T>) => Promise<T> {
  const { messages } = useTexts({ en, de });
  return useCallback(
    async (work) => {
      try {
        return await work();
      } catch (error) {
        if (error instanceof PasskeyRefused) throw new Error(messages.passkeyRefused, { cause: error });
        if (error instanceof ServiceError && error.error === 'mfa_wrong') throw new Error(messages.codeWrong, { cause: error });
        if (error instanceof ServiceError && error.error === 'mfa_required') throw new Error(messages.codeMissing, { cause: error });
        throw error;
      }
    },
    [messages],
  );
}
