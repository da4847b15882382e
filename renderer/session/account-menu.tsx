import { useId } from 'react';
import type { AgentSession } from '#protocol/agent/session.ts';
import { sentenceOf } from '../agent/failure.ts';
import { ChevronIcon } from '../ui/icons.tsx';
import { Notice } from '../ui/notice.tsx';
import { initials } from './initials.ts';
import { useSignOut } from './queries.ts';

/** Who is signed in, and the way out. */
export function AccountMenu({ session }: { session: AgentSession }) {
  const id = useId();
  const signOut = useSignOut();
  const name = session.user.name || session.user.email;
  return (
    <div className="account">
      <button type="button" className="button button-quiet account-button" popoverTarget={id}>
        <span className="badge badge-round" aria-hidden="true">
          {initials(name)}
        </span>
        <span className="account-name">{name}</span>
        <span className="visually-hidden">, account</span>
        <ChevronIcon />
      </button>
      <div id={id} popover="auto" className="popover">
        <p className="popover-name">{name}</p>
        <p className="hint">{session.user.email}</p>
        <ul>
          {session.teams.map((team) => (
            <li key={team.id}>{team.name}</li>
          ))}
        </ul>
        {signOut.error ? <Notice tone="bad">{sentenceOf(signOut.error)}</Notice> : null}
        <button type="button" className="button" onClick={() => signOut.mutate()} disabled={signOut.isPending}>
          {signOut.isPending ? 'Signing out…' : 'Sign out'}
        </button>
        <p className="hint">Transfers under way go on. To send more, sign in again.</p>
      </div>
    </div>
  );
}
