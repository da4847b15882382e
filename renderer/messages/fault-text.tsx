import { type ReactNode, useCallback } from 'react';
import { AgentCallError } from '#client/agent-call-error.ts';
import { TraceId } from '#ui/trace-id.tsx';
import { useLocale } from './locale.ts';
import { Localized } from './localized.tsx';
import { faultText } from './localized-text.ts';

/** `faultText` as a React node, with the id under which a service's log has it, where the fault is the service's. */
export function useFaultText(): (error: unknown) => ReactNode {
  const { messages, language } = useLocale();
  return useCallback(
    (error: unknown) => {
      const text = <Localized text={faultText(error, messages)} />;
      const traceId = error instanceof AgentCallError && isOfService(error) ? error.traceId : '';
      if (traceId === '') return text;
      return (
        <>
          {text} <TraceId id={traceId} language={language} />
        </>
      );
    },
    [messages, language],
  );
}

/** The same where it is shown later, in the language of that moment. */
export function FaultText({ error }: { readonly error: unknown }) {
  return useFaultText()(error);
}

const isOfService = (error: AgentCallError): boolean => error.status >= 500 || error.is('service_refused') || error.is('state_conflict');
