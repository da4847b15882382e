import { TraceId } from '#ui/trace-id.tsx';
import { useShellTexts } from '../app/texts.ts';

interface TracedFaultProps {
  readonly text: string;
  readonly traceId: string;
}

/** What is said of a failure, with the id under which the service's log has it. */
export function TracedFault({ text, traceId }: TracedFaultProps) {
  const { language } = useShellTexts();
  return (
    <>
      {text} <TraceId id={traceId} language={language} />
    </>
  );
}
