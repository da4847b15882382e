import { useLocale } from '../../messages/portal.ts';
import { useLazySending } from './use-lazy-sending.ts';

/** The id of a failure, if it has one to show. What shows it comes with the part that sends, as hardly a visit needs it. */
export function ErrorId({ error }: { readonly error: unknown }) {
  const { language } = useLocale();
  const sending = useLazySending(Boolean(error));
  if (!error || sending.state !== 'loaded') return null;
  const { TraceId, traceIdToShow } = sending.chunk;
  return <TraceId id={traceIdToShow(error)} language={language} />;
}
