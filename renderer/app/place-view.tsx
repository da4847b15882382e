import type { SignedIn } from '#protocol/agent/sessions.ts';
import { Notice } from '#ui/notice.tsx';
import { About } from '../about/about.tsx';
import { History } from '../history/history.tsx';
import { useLocale } from '../messages/locale.ts';
import { sessionOf } from '../session/queries.ts';
import { SignInPlace } from '../session/sign-in-place.tsx';
import { SettingsPlace } from '../settings/settings-place.tsx';
import { TransferActionsProvider } from '../transfers/actions/transfer-actions.tsx';
import { WaysProvider } from '../transfers/needs/ways-provider.tsx';
import { TransferPage } from '../transfers/one/transfer-page.tsx';
import { Transfers } from '../transfers/transfers.tsx';
import { useLive } from './live-context.ts';
import type { Route } from './route.ts';
import { useTasks } from './tasks.ts';

interface PlaceViewProps {
  readonly route: Route;
  readonly sessions: readonly SignedIn[];
}

/** The view of a route. */
export function PlaceView({ route, sessions }: PlaceViewProps) {
  const live = useLive();
  const needs = route.name === 'needs';
  switch (route.name) {
    case 'history':
      return <History />;
    case 'settings':
      return <SettingsPlace />;
    case 'about':
      return <About />;
    case 'transfer':
      // A single transfer is shown without an account too, since downloads need none.
      return (
        <TransferActionsProvider>
          <WaysProvider>
            <TransferPage id={route.id} live={live} />
          </WaysProvider>
        </TransferActionsProvider>
      );
    case 'transfers':
    case 'needs':
    case 'send':
    case 'get':
    case 'open':
      return (
        <TransferActionsProvider>
          <WaysProvider>
            {sessions.length === 0 ? <SignInPlace needs={needs} /> : <TransfersPlace sessions={sessions} needs={needs} />}
          </WaysProvider>
        </TransferActionsProvider>
      );
  }
}

function TransfersPlace({ sessions, needs }: Pick<PlaceViewProps, 'sessions'> & { readonly needs: boolean }) {
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
