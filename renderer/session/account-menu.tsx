import { useId, useRef, useState } from 'react';
import type { SignedIn } from '#protocol/agent/sessions.ts';
import { ChevronDownIcon, PlusIcon, WarnIcon } from '#ui/icons.tsx';
import { initials } from '#ui/initials.ts';
import { Notice } from '#ui/notice.tsx';
import { useFaultText } from '../messages/fault-text.tsx';
import { useFormat } from '../messages/format.ts';
import { useSignOut } from './queries.ts';
import { serviceName } from './service-address.ts';
import { SignInDialog } from './sign-in-dialog.tsx';

/** Signed-in accounts with their services and Teams, sign-in to another account, and sign-out. */
export function AccountMenu({ sessions }: { sessions: readonly SignedIn[] }) {
  const { messages, number } = useFormat();
  const fault = useFaultText();
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const signOut = useSignOut();
  const [signingIn, setSigningIn] = useState<SignedIn | 'new' | null>(null);
  const first = sessions.find(({ state }) => state === 'active') ?? sessions[0]!;
  const name = nameOf(first);
  // One click for whose account is shown; all others are in the menu.
  const address = consoleOf(first);
  const begin = (what: SignedIn | 'new') => {
    menu.current?.hidePopover();
    setSigningIn(what);
  };
  return (
    <div className="account">
      {address === null ? null : (
        <p className="account-links">
          <a
            className="button-link"
            href={`${address}/profile`}
            target="_blank"
            rel="noreferrer noopener"
            aria-label={messages.session.profileOf(name)}
          >
            {messages.session.profile}
          </a>
          <a className="button-link" href={homeIn(address, first)} target="_blank" rel="noreferrer noopener">
            {messages.session.teamConsole}
          </a>
        </p>
      )}
      <button type="button" className="button button-quiet account-button" popoverTarget={id}>
        <span className="badge badge-round" aria-hidden="true">
          {initials(name)}
        </span>
        <span className="account-name">
          {name}
          {sessions.length > 1 ? (
            <span className="account-more">{messages.session.others(number(sessions.length - 1), sessions.length === 2)}</span>
          ) : null}
        </span>
        <span className="visually-hidden">, {messages.session.accounts}</span>
        <ChevronDownIcon />
      </button>
      <div id={id} ref={menu} popover="auto" className="popover account-popover">
        {signOut.error ? <Notice tone="bad">{fault(signOut.error)}</Notice> : null}
        <ul className="accounts">
          {sessions.map((one) => (
            <li key={one.id} className="account-entry">
              <Account session={one} />
              <div className="account-actions">
                {consoleOf(one) ? (
                  <a className="button button-small" href={`${consoleOf(one)}/profile`} target="_blank" rel="noreferrer noopener">
                    {messages.session.profile}
                  </a>
                ) : null}
                {one.state === 'ended' ? (
                  <button type="button" className="button button-small" onClick={() => begin(one)}>
                    {messages.session.signInAgain}
                  </button>
                ) : null}
                <button
                  type="button"
                  className="button button-small"
                  disabled={signOut.isPending}
                  onClick={() => signOut.mutate(one.id)}
                  aria-label={
                    sessions.length > 1 ? messages.session.signOutOf(`${nameOf(one)}, ${serviceName(one.service_url)}`) : undefined
                  }
                >
                  {one.state === 'ended' ? messages.session.forget : messages.session.signOut}
                </button>
              </div>
            </li>
          ))}
        </ul>
        <p className="hint">{messages.session.signOutHint}</p>
        <button type="button" className="button" onClick={() => begin('new')}>
          <PlusIcon /> {messages.session.add}
        </button>
      </div>
      {signingIn ? <SignInDialog renew={signingIn === 'new' ? null : signingIn} onClose={() => setSigningIn(null)} /> : null}
    </div>
  );
}

function Account({ session }: { session: SignedIn }) {
  const { messages, number } = useFormat();
  const { service_url: url, user, teams, state, kind } = session;
  const console = consoleOf(session);
  return (
    <div className="account-facts">
      <p className="popover-name">{nameOf(session)}</p>
      <p className="hint">
        {user?.name ? `${user.email} · ` : ''}
        {serviceName(url)}
        {kind === 'api_key' ? ` · ${messages.session.byKey}` : ''}
      </p>
      {state === 'ended' ? (
        <p className="account-ended">
          <WarnIcon /> {messages.session.endedShort}
        </p>
      ) : null}
      {state === 'active' && user === null ? <p className="hint">{messages.session.unasked}</p> : null}
      {state === 'active' && user !== null && teams.length === 0 ? <p className="hint">{messages.session.noTeams}</p> : null}
      {teams.length > 0 ? (
        <ul className="account-teams" aria-label={messages.session.teams}>
          {teams.map((team) => (
            <li key={team.id}>
              {console ? (
                <a
                  className="team-name"
                  href={`${console}/t/${encodeURIComponent(team.id)}/packages`}
                  target="_blank"
                  rel="noreferrer noopener"
                  title={messages.session.console(team.name)}
                >
                  {team.name}
                </a>
              ) : (
                <span className="team-name">{team.name}</span>
              )}
              {team.custom_expiry_enabled && team.custom_expiry_default > 0 ? (
                <span className="hint">{messages.session.keeps(number(team.custom_expiry_default), team.custom_expiry_default === 1)}</span>
              ) : null}
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}

/** The address of the service's console, for a person who is signed in by name; null for any other. */
function consoleOf({ service_url: url, kind, state }: SignedIn): string | null {
  const protocol = URL.parse(url)?.protocol;
  return kind === 'user' && state === 'active' && (protocol === 'https:' || protocol === 'http:') ? url.replace(/\/+$/, '') : null;
}

/** The console's first view: of the only Team, else of the one that the console was last used for. */
const homeIn = (address: string, { teams }: SignedIn): string =>
  teams.length === 1 ? `${address}/t/${encodeURIComponent(teams[0]!.id)}` : `${address}/`;

/** The account's name, as far as it is known. */
export const nameOf = ({ user, service_url: url }: SignedIn): string => user?.name || user?.email || serviceName(url);
