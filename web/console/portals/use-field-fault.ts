import { useCallback } from 'react';
import { ServiceError } from '#client/errors.ts';
import { useSentences } from '../ui/use-sentences.ts';
import { type FieldFault, faultAtField } from './field-faults.ts';

/** The field that a refusal names, with what is said of it in the person's language. */
export function useFieldFault(): (error: unknown) => FieldFault | null {
  const translate = useSentences();
  return useCallback(
    (error) => {
      const found = error instanceof ServiceError ? faultAtField(error) : null;
      return found && { ...found, text: translate(found.text) };
    },
    [translate],
  );
}
