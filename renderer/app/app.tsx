import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { AgentCallError } from '#client/agent-call-error.ts';
import { useFaultText } from '../messages/fault-text.tsx';
import { useLocale } from '../messages/locale.ts';
import { UnreachableContext, useAddresses, useUnreachable } from '../services/unreachable.ts';
import { UnreachableBanner } from '../services/unreachable-banner.tsx';
import { EndedBanners } from '../session/ended-banner.tsx';
import { useSessions } from '../session/queries.ts';
import { TokenForm } from '../session/token-form.tsx';
import { useApp } from './context.ts';
import { FullPage, LoadingPage } from './full-page.tsx';
import { LiveContext, useLiveConnection } from './live.ts';
import { OfflineBanner } from './offline-banner.tsx';
import { Workspace } from './workspace.tsx';

/** The whole page: what it shows depends on the session and the connection. */
export function App() {
  const { token } = useApp();
  const { messages } = useLocale();
  const fault = useFaultText();
  const cache = useQueryClient();
  const [generation, setGeneration] = useState(0);
  const connection = useLiveConnection(generation);
  const sessions = useSessions();
  const live = connection.state !== 'lost';
  const unreachable = useUnreachable(live);
  const addresses = useAddresses(unreachable);

  const failure = sessions.error ?? (connection.state === 'lost' ? connection.failure : null);
  if (failure instanceof AgentCallError && failure.is('agent_token_required')) {
    return (
      <TokenForm
        rejected={token.get() !== null}
        onToken={(value) => {
          token.set(value);
          setGeneration((now) => now + 1);
          void cache.invalidateQueries();
        }}
      />
    );
  }
  if (sessions.data === undefined) {
    if (sessions.isPending && live) return <LoadingPage />;
    return (
      <FullPage title={messages.app.noAnswer.title}>
        <p>{failure ? fault(failure) : messages.app.noAnswer.starting}</p>
        <p className="hint">{messages.app.noAnswer.retries}</p>
        <button type="button" className="button button-primary" onClick={() => cache.invalidateQueries()}>
          {messages.app.tryNow}
        </button>
      </FullPage>
    );
  }
  return (
    <LiveContext value={live}>
      <UnreachableContext value={addresses}>
        {connection.state === 'lost' ? <OfflineBanner failure={connection.failure} /> : null}
        {unreachable.length > 0 ? <UnreachableBanner services={unreachable} /> : null}
        <EndedBanners sessions={sessions.data} />
        <Workspace sessions={sessions.data} />
      </UnreachableContext>
    </LiveContext>
  );
}
