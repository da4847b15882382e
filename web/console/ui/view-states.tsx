import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ServiceError } from '#client/errors.ts';
import { useShellTexts } from '../app/texts.ts';
import { useFaultText } from './fault-text.ts';

interface StateProps {
  readonly icon?: ReactNode;
  readonly title: string;
  /** What it is, and what to do first. */
  readonly text?: ReactNode;
  /** The first step: a button or a link. */
  readonly children?: ReactNode;
}

/** Shown in place of content that is not there: an empty list teaches the first step, a failure says what can be done. */
export function ViewState({ icon, title, text, children }: StateProps) {
  return (
    <section className="view-state">
      {icon ? (
        <span className="view-state-icon" aria-hidden="true">
          {icon}
        </span>
      ) : null}
      <h2>{title}</h2>
      {text ? <p className="hint">{text}</p> : null}
      {children ? <div className="view-state-acts">{children}</div> : null}
    </section>
  );
}

export function LoadingState() {
  const { messages } = useShellTexts();
  return (
    <p className="hint view-loading" role="status">
      {messages.loading}
    </p>
  );
}

/** Why something is not shown, and what can be done about it. */
export function FailedState({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { messages } = useShellTexts();
  const fault = useFaultText();
  const { states, offline } = messages;
  const name = error instanceof ServiceError ? error.error : null;
  if (name === 'not_allowed') return <ViewState title={states.forbidden} text={states.forbiddenText} />;
  if (name === 'mfa_enrolment_required') {
    return (
      <ViewState title={states.enrol} text={states.enrolText}>
        <a className="button button-primary" href="/profile/security">
          {states.enrolAct}
        </a>
      </ViewState>
    );
  }
  if (name === 'sso_required') {
    const next = location.pathname + location.search;
    return (
      <ViewState title={states.company} text={states.companyText}>
        <a className="button button-primary" href={`/sso/sign-in?${new URLSearchParams({ next })}`}>
          {states.companyAct}
        </a>
      </ViewState>
    );
  }
  if (name === 'not_found') return <ViewState title={states.gone} text={states.goneText} />;
  return (
    <div role="alert">
      <ViewState
        title={name === 'service_unreachable' ? offline.title : states.failed}
        text={name === 'service_unreachable' ? offline.full : fault(error)}
      >
        {onRetry ? (
          <button type="button" className="button" onClick={onRetry}>
            {messages.tryAgain}
          </button>
        ) : null}
      </ViewState>
    </div>
  );
}

type ShownQuery<T> = Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch'>;

/** Nobody shows this person the data any more: it was removed, or their role was, or the Team is inactive. */
const isRefused = (error: unknown): boolean => error instanceof ServiceError && !error.foreign && [402, 403, 404].includes(error.answered);

/**
 * What a view shows of a query: its data as soon as there is some, even if a later answer failed (a line at the top says
 * that the service does not answer) unless that was a refusal, else that it loads, or why it does not.
 */
export function QueryView<T>({ query, children }: { readonly query: ShownQuery<T>; readonly children: (data: T) => ReactNode }) {
  if (query.data !== undefined && !isRefused(query.error)) return children(query.data);
  if (query.error) return <FailedState error={query.error} onRetry={() => void query.refetch()} />;
  return <LoadingState />;
}
