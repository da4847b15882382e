import type { ReactNode } from 'react';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import { Notice } from '#ui/notice.tsx';
import { useLive } from '../../app/live.ts';
import { hrefOf } from '../../app/route.ts';
import { useFaultText } from '../../messages/fault-text.tsx';
import { useLocale } from '../../messages/locale.ts';
import { useAutomation } from '../queries.ts';

/** Shows what is made of an automation, or why there is nothing to show. */
export function OneAutomation({ id, children }: { id: string; children: (automation: Automation) => ReactNode }) {
  const { messages } = useLocale();
  const fault = useFaultText();
  const live = useLive();
  const { data, error, refetch } = useAutomation(id);
  const { gone, title } = messages.automations;
  if (data) return children(data);
  if (data === null) {
    return (
      <section className="empty">
        <h1>{gone.title}</h1>
        <p>{gone.text}</p>
        <a className="button" href={hrefOf({ name: 'automations' })}>
          {gone.all}
        </a>
      </section>
    );
  }
  return (
    <>
      <h1>{title}</h1>
      {error && live ? (
        <Notice tone="bad">
          {fault(error)}{' '}
          <button type="button" className="button-link" onClick={() => void refetch()}>
            {messages.app.tryAgain}
          </button>
        </Notice>
      ) : (
        <p className="hint" role="status">
          {error ? messages.app.offline.shows : messages.app.loading}
        </p>
      )}
    </>
  );
}
