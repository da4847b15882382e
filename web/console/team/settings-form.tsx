import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { ServiceError } from '#client/errors.ts';
import type { TeamSettings } from '#protocol/hosted/teams.ts';
import { focusFirstError } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/team.ts';
import { en } from '../../messages/en/console/team.ts';
import { accountKey, useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { ConflictNotice, changedMeanwhile } from '../ui/conflict-notice.tsx';
import { useFaultText } from '../ui/fault-text.ts';
import { useToast } from '../ui/toasts.tsx';
import { useSentences } from '../ui/use-sentences.ts';
import { Branding } from './branding.tsx';
import { teamCalls } from './calls.ts';
import { Defaults } from './defaults.tsx';
import { fieldFault, type PartProps } from './draft.ts';
import { Mails } from './mails.tsx';
import { Policies } from './policies.tsx';
import { StorageCosts } from './storage-costs.tsx';
import { useSettingsDraft } from './use-settings-draft.ts';

/** Fields that show their own errors. */
const shownFields: ReadonlySet<string> = new Set([
  ...['name', 'logo_url', 'background_url', 'imprint_url', 'privacy_url', 'custom_expiry_default', 'download_limit_default', 'chunk_size'],
  ...['password_required', 'mfa_required', 'max_expiry_days', 'recipient_domains', 'audit_retention_days'],
  ...['storage_price', 'storage_currency'],
]);

export function SettingsForm({ settings }: { readonly settings: TeamSettings }) {
  const { messages } = useTexts({ en, de });
  const shell = useShellTexts().messages;
  const team = useTeam();
  const api = useApi(teamCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const fault = useFaultText();
  const translate = useSentences();
  const form = useRef<HTMLFormElement>(null);
  const { draft, changes, isChanged, isRestored, readAt, set, restart } = useSettingsDraft(settings);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<
    { readonly field: string; readonly text: string } | { readonly field: null; readonly text: ReactNode } | null
  >(null);
  /** The settings as somebody else has saved them meanwhile. */
  const [theirs, setTheirs] = useState<TeamSettings | null>(null);
  const of = { params: { team_id: team.id } };
  const takeOver = (now: TeamSettings, keep: boolean): void => {
    restart(now, keep);
    cache.setQueryData(['team', team.id, 'settings'], now);
    setTheirs(null);
  };

  const save = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    setTheirs(null);
    try {
      takeOver(await api.call('updateTeam', { ...of, body: { ...changes, expected_updated_at: readAt } }), false);
      void cache.invalidateQueries({ queryKey: accountKey });
      // Other views show what follows from them, such as what storage costs.
      void cache.invalidateQueries({ queryKey: ['team', team.id] });
      toast({ text: textIn({ en, de }, ({ messages }) => messages.saved) });
    } catch (error) {
      const now = await changedMeanwhile(error, readAt, () => api.call('getTeam', of));
      setTheirs(now);
      if (now) return;
      const found = error instanceof ServiceError ? fieldFault(error.message) : null;
      setProblem(found ? { ...found, text: translate(found.text) } : { field: null, text: fault(error) });
      focusFirstError(form.current);
    } finally {
      setBusy(false);
    }
  };
  const isShownAtField = problem !== null && problem.field !== null && shownFields.has(problem.field);
  const part: PartProps = {
    draft,
    set,
    errorOf: (field) => (problem !== null && problem.field !== null && problem.field === field ? problem.text : null),
  };
  return (
    <form
      ref={form}
      className="team-form"
      noValidate
      aria-busy={busy}
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) void save();
      }}
    >
      {isRestored ? <Notice tone="plain">{shell.restored}</Notice> : null}
      <Branding {...part} />
      <Mails draft={draft} />
      <Defaults {...part} />
      <StorageCosts {...part} />
      <Policies {...part} />
      <div className="team-save" data-changed={isChanged}>
        {theirs ? <ConflictNotice text={messages.conflict} onChoose={(keep) => takeOver(theirs, keep)} /> : null}
        {problem && !isShownAtField ? <Notice tone="bad">{problem.text}</Notice> : null}
        <button type="submit" className="button button-primary" disabled={busy || !isChanged}>
          {shell.save}
        </button>
        {isChanged ? (
          <button type="button" className="button" onClick={() => restart(settings, false)}>
            {messages.discard}
          </button>
        ) : null}
      </div>
    </form>
  );
}
