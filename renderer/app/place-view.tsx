import type { SignedIn } from '#protocol/agent/sessions.ts';
import { About } from '../about/about.tsx';
import { History } from '../history/history.tsx';
import { sessionOf } from '../session/queries.ts';
import { SignInPlace } from '../session/sign-in-place.tsx';
import { SettingsPlace } from '../settings/settings-place.tsx';
import { DeskProvider } from '../transfers/doing/desk.tsx';
import { TransferPage } from '../transfers/one/transfer-page.tsx';
import { Transfers } from '../transfers/transfers.tsx';
import { Notice } from '../ui/notice.tsx';
import { useTongue } from '../words/words.ts';
import { useLive } from './live-context.ts';
import type { Route } from './route.ts';
import { useTasks } from './tasks.ts';

interface PlaceViewProps {
  readonly route: Route;
  readonly sessions: readonly SignedIn[];
}

/** What stands at a route. */
export function PlaceView({ route, sessions }: PlaceViewProps) {
  const live = useLive();
  switch (route.place) {
    case 'history':
      return <History />;
    case 'settings':
      return <SettingsPlace />;
    case 'about':
      return <About />;
    case 'transfer':
      // One transfer can be looked at without an account: getting files needs none.
      return (
        <DeskProvider>
          <TransferPage id={route.id} live={live} />
        </DeskProvider>
      );
    case 'transfers':
    case 'send':
    case 'get':
    case 'open':
      return <DeskProvider>{sessions.length === 0 ? <SignInPlace /> : <TransfersPlace sessions={sessions} />}</DeskProvider>;
  }
}

function TransfersPlace({ sessions }: Pick<PlaceViewProps, 'sessions'>) {
  const { words } = useTongue();
  const live = useLive();
  const tasks = useTasks();
  const session = sessionOf(sessions);
  return (
    <>
      {session && session.user.id !== '' && session.teams.length === 0 ? <Notice tone="plain">{words.session.noTeam}</Notice> : null}
      <Transfers live={live} onSend={() => tasks.send()} onGet={() => tasks.get()} />
    </>
  );
}
