import { useState } from 'react';
import type { AgentSession } from '#protocol/agent/session.ts';
import { GetDialog } from '../get/get-dialog.tsx';
import { SendDialog } from '../send/send-dialog.tsx';
import { AccountMenu } from '../session/account-menu.tsx';
import { TeamList } from '../session/team-list.tsx';
import { Transfers } from '../transfers/transfers.tsx';
import { GetIcon, Mark, SendIcon } from '../ui/icons.tsx';
import { AgentCard } from './agent-card.tsx';

/** What a signed-in person works with. */
export function Workspace({ session, live }: { session: AgentSession; live: boolean }) {
  const [open, setOpen] = useState<'send' | 'get' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <a className="skip-link" href="#transfers">
        Skip to transfers
      </a>
      <header className="top">
        <div className="top-inner">
          <div className="brand">
            <Mark />
            <span>Longshore</span>
          </div>
          <div className="top-actions">
            <button type="button" className="button" onClick={() => setOpen('get')}>
              <GetIcon /> Get files
            </button>
            <button type="button" className="button button-primary" onClick={() => setOpen('send')} disabled={session.teams.length === 0}>
              <SendIcon /> Send files
            </button>
          </div>
          <AccountMenu session={session} />
        </div>
      </header>
      <div className="columns">
        <main id="transfers" tabIndex={-1}>
          <h1 className="visually-hidden">Transfers</h1>
          <Transfers live={live} onSend={session.teams.length > 0 ? () => setOpen('send') : null} onGet={() => setOpen('get')} />
        </main>
        <aside className="side" aria-label="Teams and agent">
          <TeamList teams={session.teams} />
          <AgentCard live={live} />
        </aside>
      </div>
      {open === 'send' ? <SendDialog teams={session.teams} onClose={close} /> : null}
      {open === 'get' ? <GetDialog onClose={close} /> : null}
    </>
  );
}
