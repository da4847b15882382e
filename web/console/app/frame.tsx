import { type ReactNode, useContext, useEffect, useRef } from 'react';
import type { OwnTeam } from '#protocol/hosted/accounts.ts';
import { Mark } from '#ui/icons.tsx';
import { AccountMenu } from './account-menu.tsx';
import { useAddress } from './address.ts';
import { BackgroundWorkContext } from './background-work.ts';
import { useTeamChanges } from './live.ts';
import { Navigation } from './navigation.tsx';
import { TeamSwitcher } from './team-switcher.tsx';
import { useShellTexts } from './texts.ts';
import { WorkLine } from './work-line.tsx';

/** The frame around every view: the Team, the navigation and the account. */
export function Frame({ team, children }: { readonly team: OwnTeam; readonly children: ReactNode }) {
  const { messages } = useShellTexts();
  const { path } = useAddress();
  const content = useRef<HTMLElement>(null);
  useFocusOnNavigation(path, content);
  useTeamChanges(team.id);
  // The frame is there for as long as somebody is signed in.
  const { end } = useContext(BackgroundWorkContext);
  useEffect(() => end, [end]);
  return (
    <div className="frame console-frame">
      <button type="button" className="skip-link" onClick={() => content.current?.focus()}>
        {messages.skip}
      </button>
      <header className="side-bar">
        <a className="brand" href={`/t/${team.id}`} aria-label={`Longshore, ${messages.nav.home}`}>
          <Mark />
          <span>Longshore</span>
        </a>
        <TeamSwitcher team={team} />
        <Navigation team={team} />
        <div className="side-foot">
          <AccountMenu />
        </div>
      </header>
      <main id="content" ref={content} tabIndex={-1}>
        <WorkLine />
        {children}
      </main>
    </div>
  );
}

/** After navigation the focus moves to the new content, not to the link that led to it. */
function useFocusOnNavigation(path: string, content: { readonly current: HTMLElement | null }): void {
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    content.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [path, content]);
}
