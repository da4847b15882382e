import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ServiceError } from '#client/errors.ts';
import { de } from '../../messages/de/console/operator.ts';
import { en } from '../../messages/en/console/operator.ts';
import { useTexts } from '../app/texts.ts';
import { QueryView, ViewState } from '../ui/view-states.tsx';

interface OperatorQueryProps<T> {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch'>;
  readonly children: (data: T) => ReactNode;
}

/** As `QueryView`; but whoever is refused is told of what makes an operator, since no role in a Team does. */
export function OperatorQuery<T>({ query, children }: OperatorQueryProps<T>) {
  const { messages } = useTexts({ en, de });
  if (query.error instanceof ServiceError && query.error.error === 'not_allowed') {
    return (
      <ViewState title={messages.forbidden} text={messages.forbiddenText}>
        <a className="button" href="/profile/security">
          {messages.toSecurity}
        </a>
      </ViewState>
    );
  }
  return <QueryView query={query}>{children}</QueryView>;
}
