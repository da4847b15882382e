import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import type { Account, OwnTeam } from '#protocol/hosted/accounts.ts';
import { FailedState, LoadingState, ViewState } from '../ui/view-states.tsx';
import { AccountContext, permissionsIn, TeamContext, useAccount, useAccountQuery, useSignOut } from './account.ts';
import { goTo, signInAddress, useAddress } from './address.ts';
import { Frame } from './frame.tsx';
import { FullPage } from './full-page.tsx';
import { useConsoleLinks } from './links.ts';
import { OfflineBanner } from './offline-banner.tsx';
import { useShellTexts } from './texts.ts';
import { CodeBoundary, ViewOutlet } from './view-outlet.tsx';
import { type View, viewAt } from './views.ts';

const SignIn = lazy(() => import('../sign-in/sign-in.tsx'));
const SsoPages = lazy(() => import('../sso-sign-in/sso-pages.tsx'));

/** The whole console: what it shows depends on who is signed in, and on the address. */
export function App() {
  useConsoleLinks();
  const { path } = useAddress();
  // Whoever is signed in here may be about to be somebody else.
  return path.startsWith('/sso/') ? <LazyPage page={<SsoPages />} /> : <Console />;
}

function LazyPage({ page }: { readonly page: ReactNode }) {
  return (
    <CodeBoundary>
      <Suspense fallback={<Starting />}>{page}</Suspense>
    </CodeBoundary>
  );
}

function Console() {
  const { path, query } = useAddress();
  const account = useAccountQuery();
  if (account.data === undefined)
    return account.error ? <NoAnswer error={account.error} onRetry={() => void account.refetch()} /> : <Starting />;
  if (account.data === null) {
    if (path !== '/sign-in') return <Redirect to={signInAddress({ ended: false })} />;
    return <LazyPage page={<SignIn next={ownPath(query.get('next'))} ended={query.get('ended') !== null} />} />;
  }
  if (path === '/sign-in') return <Redirect to={ownPath(query.get('next'))} />;
  return (
    <AccountContext value={account.data}>
      <OfflineBanner />
      <SignedIn account={account.data} path={path} />
    </AccountContext>
  );
}

/** A place of the console that an address names. Other addresses, such as those of other sites, are not followed: browsers leave out line breaks and tabs in them. */
export const ownPath = (address: string | null): string =>
  address !== null && /^\/(?![/\\])[\x21-\x7e]*$/.test(address) && !address.startsWith('/sign-in') ? address : '/';

function SignedIn({ account, path }: { readonly account: Account; readonly path: string }) {
  const { messages } = useShellTexts();
  const { teams, user } = account;
  const preferred = teams.find(({ id }) => id === user.preferred_team_id) ?? teams[0];
  const found = viewAt(path);
  const asked = found?.params['team_id'] ?? /^\/t\/([^/]+)/.exec(path)?.[1];
  const team = asked === undefined ? preferred : teams.find(({ id }) => id === asked);
  if (!preferred) {
    const isAlone = found && !found.view.path.startsWith('/t/') && mayEnter(found.view, permissionsIn(null, account));
    return isAlone ? <Alone view={found.view} params={found.params} /> : <NoTeam />;
  }
  if (path === '/') return <Redirect to={`/t/${preferred.id}`} />;
  if (!team) {
    return (
      <FullPage title={messages.team.unknown}>
        <p>{messages.team.unknownText}</p>
        <a className="button button-primary" href="/">
          {messages.team.toOwn}
        </a>
      </FullPage>
    );
  }
  return (
    <TeamContext value={team}>
      <Frame team={team}>
        <Content team={team} found={found} />
      </Frame>
    </TeamContext>
  );
}

const mayEnter = ({ permission }: View, permissions: readonly string[]): boolean => permission === null || permissions.includes(permission);

function Content({ team, found }: { readonly team: OwnTeam; readonly found: ReturnType<typeof viewAt> }) {
  const { messages } = useShellTexts();
  const { states } = messages;
  const account = useAccount();
  if (!found) return <ViewState title={states.gone} text={states.goneText} />;
  if (!mayEnter(found.view, permissionsIn(team, account))) return <ViewState title={states.forbidden} text={states.forbiddenText} />;
  return <ViewOutlet key={team.id} view={found.view} params={found.params} />;
}

/** A view of somebody who is in no Team, so that there is no navigation. */
function Alone(props: { readonly view: View; readonly params: Readonly<Record<string, string>> }) {
  return (
    <main className="console-alone">
      <ViewOutlet {...props} />
    </main>
  );
}

function Redirect({ to }: { readonly to: string }) {
  useEffect(() => goTo(to, { replace: true }), [to]);
  return <Starting />;
}

function Starting() {
  return (
    <main className="full-page" aria-busy="true">
      <h1 className="visually-hidden">Longshore</h1>
      <LoadingState />
    </main>
  );
}

function NoAnswer({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  return (
    <main className="full-page">
      <h1 className="visually-hidden">Longshore</h1>
      <FailedState error={error} onRetry={onRetry} />
    </main>
  );
}

function NoTeam() {
  const { messages } = useShellTexts();
  const signOut = useSignOut();
  const { user } = useAccount();
  return (
    <FullPage title={messages.team.none}>
      <p>{messages.team.noneText}</p>
      {user.operator ? (
        <a className="button button-primary" href="/operator">
          {messages.nav.operator}
        </a>
      ) : null}
      <button type="button" className="button" onClick={() => void signOut()}>
        {messages.account.signOut}
      </button>
    </FullPage>
  );
}
