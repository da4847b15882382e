import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Session } from '#protocol/hosted/sessions.ts';
import { de } from '../../messages/de/console/profile.ts';
import { en } from '../../messages/en/console/profile.ts';
import { useSignOut } from '../app/account.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useTexts } from '../app/texts.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { ConfirmDialog } from '../ui/form-dialog.tsx';
import { programName } from '../ui/program-name.ts';
import { useToast } from '../ui/toasts.tsx';
import { QueryView } from '../ui/view-states.tsx';

const calls = defineCalls({
  listSessions: { method: 'GET', path: '/v1/sessions', reply: { status: 200 } },
  endSession: { method: 'DELETE', path: '/v1/sessions/{session_id}', reply: { status: 204 } },
  endOtherSessions: { method: 'DELETE', path: '/v1/sessions', reply: { status: 200 } },
});

const key = ['sessions'] as const;

/** The person's own sign-ins, each with an end. */
export function Sessions() {
  const { messages } = useTexts({ en, de });
  const text = messages.sessions;
  const api = useApi(calls);
  const cache = useQueryClient();
  const toast = useToast();
  const [asking, setAsking] = useState(false);
  const sessions = useQuery({ queryKey: key, queryFn: ({ signal }) => api.call('listSessions', { signal }) });
  return (
    <section className="panel">
      <div className="panel-head">
        <h2>{text.title}</h2>
        {(sessions.data?.records.length ?? 0) > 1 ? (
          <button type="button" className="button button-small" onClick={() => setAsking(true)}>
            {text.endOthers}
          </button>
        ) : null}
      </div>
      <p className="hint">{text.text}</p>
      <QueryView query={sessions}>
        {({ records }) => (
          <ul className="session-list">
            {records.map((one) => (
              <Row key={one.id} session={one} />
            ))}
          </ul>
        )}
      </QueryView>
      {asking ? (
        <ConfirmDialog
          title={text.endOthers}
          submit={text.endOthers}
          onClose={() => setAsking(false)}
          onSubmit={async () => {
            const { ended } = await api.call('endOtherSessions', {});
            await cache.invalidateQueries({ queryKey: key });
            toast({ text: textIn({ en, de }, ({ messages, number }) => messages.sessions.endedOthers(number(ended), ended === 1)) });
          }}
        >
          <p>{text.endOthersText}</p>
        </ConfirmDialog>
      ) : null}
    </section>
  );
}

function Row({ session }: { readonly session: Session }) {
  const { messages, moment } = useTexts({ en, de });
  const text = messages.sessions;
  const api = useApi(calls);
  const cache = useQueryClient();
  const signOut = useSignOut();
  const toast = useToast();
  const fault = useFaultText();
  const [busy, setBusy] = useState(false);
  const name = programName(session.user_agent);
  const end = async (): Promise<void> => {
    setBusy(true);
    try {
      if (session.current) return await signOut();
      await api.call('endSession', { params: { session_id: session.id } });
      await cache.invalidateQueries({ queryKey: key });
      toast({ text: textIn({ en, de }, ({ messages }) => messages.sessions.ended) });
    } catch (error) {
      toast({ text: fault(error), tone: 'bad' });
    } finally {
      setBusy(false);
    }
  };
  return (
    <li>
      <div>
        <p className="session-name" dir="auto">
          {name}
          {session.current ? ` (${text.here})` : ''}
        </p>
        <p className="hint">
          {session.kind === 'browser' ? text.browser : text.program} · {text.seen(moment(session.last_seen_at), session.address)}
        </p>
      </div>
      <button type="button" className="button button-small" disabled={busy} aria-label={text.endOf(name)} onClick={() => void end()}>
        {text.end}
      </button>
    </li>
  );
}
