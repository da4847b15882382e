import { lazy, Suspense } from 'react';
import type { SignedIn } from '#protocol/agent/sessions.ts';
import { Notice } from '#ui/notice.tsx';
import { About } from '../about/about.tsx';
import { History } from '../history/history.tsx';
import { useLocale } from '../messages/locale.ts';
import { sessionOf } from '../session/queries.ts';
import { SignInView } from '../session/sign-in-view.tsx';
import { SettingsView } from '../settings/settings-view.tsx';
import { TransferActionsProvider } from '../transfers/actions/transfer-actions.tsx';
import { TransferPage } from '../transfers/detail/transfer-page.tsx';
import { RemedyProvider } from '../transfers/needs/remedies.tsx';
import { Transfers } from '../transfers/transfers.tsx';
import { useLive } from './live.ts';
import type { Route } from './route.ts';
import { useTasks } from './tasks.ts';

/** Loaded on the first visit, so that the page's first load stays small. */
const AutomationsRoute = lazy(() => import('../automations/automations-route.tsx'));

interface RouteViewProps {
  readonly route: Route;
  readonly sessions: readonly SignedIn[];
}

/** The view of a route. */
export function RouteView({ route, sessions }: RouteViewProps) {
  const live = useLive();
  const needs = route.name === 'needs';
  switch (route.name) {
    case 'automations':
    case 'automation':
    case 'new-automation':
    case 'edit-automation':
      return (
        <Suspense fallback={<Loading />}>
          <AutomationsRoute route={route} />
        </Suspense>
      );
    case 'history':
      return <History />;
    case 'settings':
      return <SettingsView />;
    case 'about':
      return <About />;
    case 'transfer':
      // A single transfer is shown without an account too, since downloads need none.
      return (
        <TransferActionsProvider>
          <RemedyProvider>
            <TransferPage id={route.id} live={live} />
          </RemedyProvider>
        </TransferActionsProvider>
      );
    case 'transfers':
    case 'needs':
    case 'send':
    case 'get':
    case 'open':
      return (
        <TransferActionsProvider>
          <RemedyProvider>
            {sessions.length === 0 ? <SignInView needs={needs} /> : <TransfersView sessions={sessions} needs={needs} />}
          </RemedyProvider>
        </TransferActionsProvider>
      );
  }
}

function Loading() {
  const { messages } = useLocale();
  return (
    <>
      <h1>{messages.automations.title}</h1>
      <p className="hint" role="status">
        {messages.app.loading}
      </p>
    </>
  );
}

function TransfersView({ sessions, needs }: Pick<RouteViewProps, 'sessions'> & { readonly needs: boolean }) {
  const { messages } = useLocale();
  const live = useLive();
  const tasks = useTasks();
  const session = sessionOf(sessions);
  return (
    <>
      {session && session.user.id !== '' && session.teams.length === 0 ? <Notice tone="plain">{messages.session.noTeam}</Notice> : null}
      <Transfers live={live} needs={needs} onSend={() => tasks.send()} onGet={() => tasks.get()} />
    </>
  );
}
