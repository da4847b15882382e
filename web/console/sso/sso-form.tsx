import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Sso } from '#protocol/hosted/sso.ts';
import { focusFirstError } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/sso.ts';
import { en } from '../../messages/en/console/sso.ts';
import { useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { ConflictNotice, changedMeanwhile } from '../ui/conflict-notice.tsx';
import { useFaultSentence } from '../ui/fault-text.ts';
import { ConfirmDialog } from '../ui/form-dialog.tsx';
import { useToast } from '../ui/toasts.tsx';
import { Access } from './access.tsx';
import { ssoCalls, ssoKey } from './calls.ts';
import { bodyOf, type PartProps } from './draft.ts';
import { Provider } from './provider.tsx';
import { State } from './state.tsx';
import { changedAt, useSsoDraft } from './use-sso-draft.ts';

/** Fields that show their own errors. */
const shownFields: readonly string[] = ['issuer', 'client_id', 'scopes', 'group_claim', 'group_roles', 'sso_only'];

/** Provider, who gets in, and whether it is on: saved together. */
export function SsoForm({ sso }: { readonly sso: Sso }) {
  const { messages } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const team = useTeam();
  const { draft, changed, isRestored, readAt, set, restart } = useSsoDraft(team.id, sso.connection);
  const api = useApi(ssoCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const fault = useFaultSentence();
  const form = useRef<HTMLFormElement>(null);
  const [busy, setBusy] = useState(false);
  const [asks, setAsks] = useState(false);
  const [problem, setProblem] = useState<{ readonly field: string; readonly text: string } | null>(null);
  /** The settings as somebody else has saved them meanwhile. */
  const [theirs, setTheirs] = useState<Sso | null>(null);
  const params = { team_id: team.id };

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    if (busy) return;
    setBusy(true);
    setProblem(null);
    try {
      await work();
    } catch (error) {
      setProblem(faultOf(fault(error)));
      focusFirstError(form.current);
    } finally {
      setBusy(false);
    }
  };
  const takeOver = (now: Sso, keep: boolean): void => {
    restart(now.connection, keep);
    cache.setQueryData(ssoKey(team.id), now);
    setTheirs(null);
  };
  const save = () =>
    attempt(async () => {
      setTheirs(null);
      try {
        takeOver(await api.call('setSso', { params, body: { ...bodyOf(draft), expected_updated_at: readAt } }), false);
        toast({ text: textIn({ en, de }, ({ messages }) => messages.saved) });
      } catch (error) {
        const now = await changedMeanwhile(error, readAt, async () => {
          const read = await api.call('getSso', { params });
          return { read, updated_at: changedAt(read.connection) };
        });
        if (!now) throw error;
        setTheirs(now.read);
      }
    });
  const tryIt = () => attempt(async () => location.assign((await api.call('startSsoTrial', { params })).url));

  const part: PartProps = {
    draft,
    set,
    errorOf: (field) => (problem?.field === field ? problem.text : null),
  };
  return (
    <form
      ref={form}
      className="sso-form"
      noValidate
      aria-busy={busy}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {isRestored ? <Notice tone="plain">{shell.restored}</Notice> : null}
      <Provider {...part} callbackUrl={sso.callback_url} hasSecret={sso.connection?.has_client_secret ?? false} />
      <Access {...part} />
      <State {...part} sso={sso} />
      {theirs ? <ConflictNotice text={messages.conflict} onChoose={(keep) => takeOver(theirs, keep)} /> : null}
      {problem && !shownFields.includes(problem.field) ? <Notice tone="bad">{problem.text}</Notice> : null}
      <div className="sso-acts">
        <button type="submit" className="button button-primary" disabled={busy || !changed}>
          {messages.save}
        </button>
        <button type="button" className="button" disabled={busy || changed || !sso.connection} onClick={() => void tryIt()}>
          {messages.tryIt}
        </button>
        {changed ? (
          <button type="button" className="button button-quiet" disabled={busy} onClick={() => restart(sso.connection, false)}>
            {messages.discard}
          </button>
        ) : null}
        {sso.connection ? (
          <button type="button" className="button button-quiet" disabled={busy} onClick={() => setAsks(true)}>
            {messages.remove}
          </button>
        ) : null}
      </div>
      <p className="hint">{changed ? messages.saveFirst : messages.tryHint}</p>
      {asks ? (
        <ConfirmDialog
          title={messages.remove}
          submit={shell.remove}
          onSubmit={async () => {
            await api.call('deleteSso', { params });
            toast({ text: textIn({ en, de }, ({ messages }) => messages.removed) });
            await cache.invalidateQueries({ queryKey: ssoKey(team.id) });
          }}
          onClose={() => setAsks(false)}
        >
          <p>{messages.removeText}</p>
        </ConfirmDialog>
      ) : null}
    </form>
  );
}

/** The service names the field before its sentence. */
function faultOf(message: string): { readonly field: string; readonly text: string } {
  const [, field, text] = /^(?:The field )?([a-z_]+)(?:\[\d+\][a-z._]*)?:? (.+)$/s.exec(message) ?? [];
  if (field === undefined || text === undefined || !shownFields.includes(field)) return { field: '', text: message };
  return { field, text: text.charAt(0).toUpperCase() + text.slice(1) };
}
