import { Suspense } from 'react';
import type { SignedIn } from '#protocol/agent/sessions.ts';
import { Notice } from '#ui/notice.tsx';
import { useLocale } from '../messages/locale.ts';
import { sessionOf } from '../session/queries.ts';
import { SignInView } from '../session/sign-in-view.tsx';
import { TransferActionsProvider } from '../transfers/actions/transfer-actions.tsx';
import { RemedyProvider } from '../transfers/needs/remedies.tsx';
import { Transfers } from '../transfers/transfers.tsx';
import { lazyView } from './lazy-view.ts';
import { useLive } from './live.ts';
import type { Route } from './route.ts';
import { useTasks } from './tasks.ts';

const AutomationsRoute = lazyView(async () => (await import('../automations/automations-route.tsx')).default);
const History = lazyView(async () => (await import('../history/history.tsx')).History);
const SettingsView = lazyView(async () => (await import('../settings/settings-view.tsx')).SettingsView);
const About = lazyView(async () => (await import('../about/about.tsx')).About);
const TransferPage = lazyView(async () => (await import('../transfers/detail/transfer-page.tsx')).TransferPage);

interface RouteViewProps {
  readonly route: Route;
  readonly sessions: readonly SignedIn[];
}

/**
 * The view of a route. All but the list are loaded when they are first visited. Each has a boundary of its own: in a common
 * one the view that was left would stay behind the next one's loading, and come back with what was thrown away in it.
 */
export function RouteView({ route, sessions }: RouteViewProps) {
  const view = viewOf(route.name);
  const { title } = useTitles(view);
  return (
    <Suspense key={view} fallback={<Loading title={title} />}>
      <View route={route} sessions={sessions} />
    </Suspense>
  );
}

function View({ route, sessions }: RouteViewProps) {
  const live = useLive();
  const needs = route.name === 'needs';
  switch (route.name) {
    case 'automations':
    case 'automation':
    case 'new-automation':
    case 'edit-automation':
      return <AutomationsRoute route={route} />;
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

type ViewName = 'automations' | 'history' | 'settings' | 'about' | 'transfer' | 'transfers';

/** Which view shows a route. */
function viewOf(name: Route['name']): ViewName {
  switch (name) {
    case 'automations':
    case 'automation':
    case 'new-automation':
    case 'edit-automation':
      return 'automations';
    case 'history':
    case 'settings':
    case 'about':
    case 'transfer':
      return name;
    default:
      return 'transfers';
  }
}

/** The heading that a view will have. */
function useTitles(view: ViewName): { readonly title: string } {
  const { app, automations, history, settings, transfers } = useLocale().messages;
  const about = { title: app.aboutLongshore };
  return { automations, history, settings, about, transfers, transfer: transfers.detail }[view];
}

function Loading({ title }: { readonly title: string }) {
  const { messages } = useLocale();
  return (
    <>
      <h1>{title}</h1>
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
