import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { TeamSettings } from '#protocol/hosted/teams.ts';
import { focusFirstError } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/team.ts';
import { en } from '../../messages/en/console/team.ts';
import { accountKey, useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { useToast } from '../ui/toasts.tsx';
import { Branding } from './branding.tsx';
import { teamCalls } from './calls.ts';
import { Defaults } from './defaults.tsx';
import { changesOf, draftOf, fieldFault, type PartProps } from './draft.ts';
import { Policies } from './policies.tsx';

/** Fields that show their own errors. */
const shownFields: ReadonlySet<string> = new Set([
  ...['name', 'logo_url', 'background_url', 'imprint_url', 'privacy_url', 'custom_expiry_default', 'download_limit_default', 'chunk_size'],
  ...['password_required', 'mfa_required', 'max_expiry_days', 'recipient_domains', 'audit_retention_days'],
]);

export function SettingsForm({ settings }: { readonly settings: TeamSettings }) {
  const { messages } = useTexts({ en, de });
  const shell = useShellTexts().messages;
  const team = useTeam();
  const api = useApi(teamCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const fault = useFaultText();
  const form = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState(() => draftOf(settings));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<{ readonly field: string | null; readonly text: string } | null>(null);
  const changes = changesOf(draft, settings);
  const isChanged = Object.keys(changes).length > 0;

  const save = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      const saved = await api.call('updateTeam', { params: { team_id: team.id }, body: changes });
      cache.setQueryData(['team', team.id, 'settings'], saved);
      void cache.invalidateQueries({ queryKey: accountKey });
      toast({ text: messages.saved });
    } catch (error) {
      const text = fault(error);
      setProblem(fieldFault(text) ?? { field: null, text });
      focusFirstError(form.current);
    } finally {
      setBusy(false);
    }
  };
  const isShownAtField = problem !== null && problem.field !== null && shownFields.has(problem.field);
  const part: PartProps = {
    draft,
    set: (change) => setDraft((before) => ({ ...before, ...change })),
    errorOf: (field) => (problem?.field === field ? problem.text : null),
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
      <Branding {...part} />
      <Defaults {...part} />
      <Policies {...part} />
      {problem && !isShownAtField ? <Notice tone="bad">{problem.text}</Notice> : null}
      <div className="team-save" data-changed={isChanged}>
        <button type="submit" className="button button-primary" disabled={busy || !isChanged}>
          {shell.save}
        </button>
        {isChanged ? (
          <button type="button" className="button" onClick={() => setDraft(draftOf(settings))}>
            {messages.discard}
          </button>
        ) : null}
      </div>
    </form>
  );
}
