import { type ReactNode, useId } from 'react';
import { Notice } from '#ui/notice.tsx';
import { useFaultText } from '../messages/fault-text.tsx';
import { useLocale } from '../messages/locale.ts';

interface SettingsListProps {
  readonly title: string;
  readonly text: string;
  /** What is asked of the agent for the list. */
  readonly query: { readonly data: unknown; readonly error: Error | null; readonly refetch: () => unknown };
  readonly children: ReactNode;
}

/** A part of the settings with a list of its own: its heading, and what keeps the list from being there. */
export function SettingsList({ title, text, query: { data, error, refetch }, children }: SettingsListProps) {
  const { messages } = useLocale();
  const fault = useFaultText();
  const id = useId();
  return (
    <section className="card settings-part" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p className="hint">{text}</p>
      {error ? (
        <Notice tone="bad">
          {fault(error)}{' '}
          <button type="button" className="button-link" onClick={() => refetch()}>
            {messages.app.tryAgain}
          </button>
        </Notice>
      ) : null}
      {!data && !error ? <p className="hint">{messages.app.loading}</p> : null}
      {children}
    </section>
  );
}
