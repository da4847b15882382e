import type { AgentSession } from '#protocol/agent/session.ts';
import { About } from '../about/about.tsx';
import { History } from '../history/history.tsx';
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

/** What stands at a route. */
export function PlaceView({ route, session }: { route: Route; session: AgentSession | null }) {
  switch (route.place) {
    case 'history':
      return <History />;
    case 'settings':
      return <SettingsPlace />;
    case 'about':
      return <About />;
    case 'transfers':
    case 'transfer':
    case 'open':
      return (
        <DeskProvider>
          <TransfersPlace route={route} session={session} />
        </DeskProvider>
      );
  }
}

function TransfersPlace({ route, session }: { route: Route; session: AgentSession | null }) {
  const { words } = useTongue();
  const live = useLive();
  const tasks = useTasks();
  const onGet = () => tasks.get();
  // One transfer can be looked at without an account: getting files needs none.
  if (route.place === 'transfer') return <TransferPage id={route.id} live={live} />;
  if (!session) return <SignInPlace />;
  return (
    <>
      {session.teams.length === 0 ? <Notice tone="plain">{words.session.noTeam}</Notice> : null}
      <Transfers live={live} onSend={session.teams.length > 0 ? () => tasks.send() : null} onGet={onGet} />
    </>
  );
}
