import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { AgentFailure, sentenceOf } from '../agent/failure.ts';
import { useSession } from '../session/queries.ts';
import { SignedOut } from '../session/signed-out.tsx';
import { TokenForm } from '../session/token-form.tsx';
import { useApp } from './context.ts';
import { FullPage, LoadingPage } from './full-page.tsx';
import { useLiveConnection } from './live.tsx';
import { OfflineBanner } from './offline-banner.tsx';
import { Workspace } from './workspace.tsx';

/** The whole page: which of its few faces is shown follows from the session and the connection. */
export function App() {
  const { token } = useApp();
  const cache = useQueryClient();
  const [generation, setGeneration] = useState(0);
  const connection = useLiveConnection(generation);
  const session = useSession();

  const failure = session.error ?? (connection.state === 'lost' ? connection.failure : null);
  if (failure instanceof AgentFailure && failure.is('agent_token_required')) {
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
  if (session.data === undefined) {
    if (session.isPending && connection.state !== 'lost') return <LoadingPage />;
    return (
      <FullPage title="The agent does not answer">
        <p>{failure ? sentenceOf(failure) : 'It may still be starting.'}</p>
        <p className="hint">This page tries again by itself.</p>
        <button type="button" className="button button-primary" onClick={() => cache.invalidateQueries()}>
          Try now
        </button>
      </FullPage>
    );
  }
  return (
    <>
      {connection.state === 'lost' ? <OfflineBanner failure={connection.failure} /> : null}
      {session.data === null ? (
        <SignedOut live={connection.state !== 'lost'} />
      ) : (
        <Workspace session={session.data} live={connection.state !== 'lost'} />
      )}
    </>
  );
}
