import { createElement, type ReactElement, useCallback } from 'react';
import { ServiceError } from '#client/errors.ts';
import { traceIdToShow } from '#client/trace-id.ts';
import { useShellTexts } from '../app/texts.ts';
import { TracedFault } from './traced-fault.tsx';
import { useSentences } from './use-sentences.ts';

/**
 * What is said of a failure that allows another try. A failure that is not known here is shown in the service's own words,
 * and one by the service's fault with the id under which its log has it. It follows the language for as long as it is seen.
 */
export function useFaultText(): (error: unknown) => ReactElement {
  // So that its sentences are there when something fails.
  useSentences();
  return faultText;
}

const faultText = (error: unknown): ReactElement => createElement(Fault, { error });

function Fault({ error }: { readonly error: unknown }) {
  const text = useFaultSentence()(error);
  const traceId = traceIdToShow(error);
  return traceId === '' ? text : createElement(TracedFault, { text, traceId });
}

/** The same as a text alone, for where a field or a list has no room for more. */
export function useFaultSentence(): (error: unknown) => string {
  const { messages, duration } = useShellTexts();
  const translate = useSentences();
  return useCallback(
    (error) => {
      const { faults } = messages;
      if (!(error instanceof ServiceError)) return error instanceof Error ? error.message : String(error);
      switch (error.error) {
        case 'rate_limited':
          return faults.tooMany(duration(error.retryAfter ?? 60));
        case 'wrong_password':
          return faults.wrongPassword;
        case 'not_found':
          return faults.gone;
        case 'team_inactive':
          return faults.teamInactive;
        case 'unavailable':
          return faults.busy;
        case 'service_unreachable':
        case 'service_refused':
        case 'request_stalled':
          return error.answered >= 400 && !error.foreign ? translate(error.message) : faults.unreachable;
        default:
          return translate(error.message);
      }
    },
    [messages, duration, translate],
  );
}
