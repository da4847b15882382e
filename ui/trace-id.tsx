import type { Language } from './locale.ts';
import { useCopy } from './use-copy.ts';

const texts = {
  en: { label: 'Error ID', copy: 'Copy', copied: 'Copied' },
  de: { label: 'Fehlernummer', copy: 'Kopieren', copied: 'Kopiert' },
} as const;

interface TraceIdProps {
  readonly id: string | undefined;
  readonly language: Language;
  /** Where something else says what it is. */
  readonly bare?: boolean;
}

/** The id under which the service's log has a failure, to be copied for whoever runs the service; nothing without one. */
export function TraceId({ id = '', language, bare = false }: TraceIdProps) {
  const [state, copy] = useCopy(id);
  const { label, copy: offered, copied } = texts[language];
  if (id === '') return null;
  return (
    <span className="trace-id">
      {bare ? null : `${label} `}
      <code>{id}</code>{' '}
      <button type="button" className="button-link" onClick={() => void copy()}>
        {state === 'copied' ? copied : offered}
      </button>
    </span>
  );
}

/** What the id is, where a list of facts names it. */
export const traceIdLabel = (language: Language): string => texts[language].label;
