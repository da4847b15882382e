import { type ReactNode, useState } from 'react';
import { ServiceError } from '#client/errors.ts';
import { TextField } from '#ui/field.tsx';
import { de } from '../../messages/de/console/security.ts';
import { en } from '../../messages/en/console/security.ts';
import { useTexts } from '../app/texts.ts';
import { useSecurityFault } from './security-fault.ts';

interface SecondFactor {
  /** Does what asks for a fresh proof. False if the service asks for a second factor: its field is there then. */
  prove(work: (factor: { readonly code?: string }) => Promise<unknown>): Promise<boolean>;
  /** The field for the code, once the service has asked for it. */
  readonly field: ReactNode;
}

/** A code for forms that ask for the password again. */
export function useSecondFactor(): SecondFactor {
  const { messages } = useTexts({ en, de });
  const orExplain = useSecurityFault();
  const [code, setCode] = useState<string | null>(null);
  return {
    async prove(work) {
      try {
        await work(code?.trim() ? { code: code.trim() } : {});
        return true;
      } catch (error) {
        const isFirst = code === null && error instanceof ServiceError && error.error === 'mfa_required';
        if (!isFirst) return await orExplain(() => Promise.reject(error));
        setCode('');
        return false;
      }
    },
    field:
      code === null ? null : (
        <TextField
          label={messages.code}
          name="code"
          autoComplete="one-time-code"
          spellCheck={false}
          required
          autoFocus
          value={code}
          hint={messages.codeHint}
          onChange={(event) => setCode(event.target.value)}
        />
      ),
  };
}
