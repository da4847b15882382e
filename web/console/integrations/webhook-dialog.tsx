import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Webhook, WebhookRequest } from '#protocol/hosted/webhooks.ts';
import { limits } from '#protocol/limits.ts';
import { CheckField, OptionsField, SelectField, TextAreaField, TextField } from '#ui/field.tsx';
import { de } from '../../messages/de/console/integrations.ts';
import { en } from '../../messages/en/console/integrations.ts';
import { useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useToast } from '../ui/toasts.tsx';
import { withChanges } from '../ui/with-changes.ts';
import { webhookCalls, webhooksKey } from './webhook-calls.ts';
import { webhookEventNames } from './webhook-events.ts';
import { headerLines, headersIn } from './webhook-headers.ts';

interface WebhookDialogProps {
  /** As it is by now. */
  readonly webhook: Webhook | null;
  /** A new secret, which the service tells this once: of a new webhook, and after a change of its address. */
  readonly onSecret: (secret: string) => void;
  readonly onClose: () => void;
}

const newWebhook: WebhookRequest = { active: true, events: ['package.finalized'], method: 'POST', scope: 'team', url: '' };

/** Makes or changes a webhook. */
export function WebhookDialog({ webhook, onSecret, onClose }: WebhookDialogProps) {
  const { messages } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const team = useTeam();
  const api = useApi(webhookCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const [read] = useState<WebhookRequest>(() => webhook ?? newWebhook);
  const [draft, setDraft] = useState(read);
  const [lines, setLines] = useState(() => headerLines(webhook?.headers ?? {}));
  const [shown, setShown] = useState(false);
  const set = (change: Partial<WebhookRequest>): void => setDraft({ ...draft, ...change });
  const { headers, bad } = headersIn(lines);
  const errors = {
    url: /^https?:\/\/./.test(draft.url.trim()) ? null : messages.urlBad,
    events: draft.events.length === 0 ? messages.noEvent : null,
    headers: bad === null ? null : messages.headerBad(bad),
  };
  const save = async () => {
    setShown(true);
    if (Object.values(errors).some((error) => error !== null)) return false;
    // A change sends all of a webhook, of which others may have changed what was not changed here.
    const { active, events, method, scope, url, body_extras, ...rest } = withChanges(read, { ...draft, headers }, webhook ?? newWebhook);
    const name = rest.name?.trim() ?? '';
    const body = {
      ...{ active, events, method, scope: scope ?? 'portals', url: url.trim(), headers: rest.headers ?? {} },
      ...(name !== '' && { name }),
      // Not in this form; a change that left them out would unset them.
      ...(body_extras !== undefined && { body_extras }),
    };
    const { secret } = webhook
      ? await api.call('updateWebhook', { params: { custom_webhook_id: webhook.id }, body })
      : await api.call('createWebhook', { params: { team_id: team.id }, body });
    if (secret !== undefined) onSecret(secret);
    else toast({ text: textIn({ en, de }, ({ messages }) => messages.saved(name || url)) });
    await cache.invalidateQueries({ queryKey: webhooksKey(team.id) });
    return true;
  };
  return (
    <FormDialog
      title={webhook ? messages.editTitle(webhook.name || webhook.url) : messages.newWebhook}
      submit={webhook ? shell.save : messages.webhookMake}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        label={messages.url}
        hint={messages.urlHint}
        error={shown ? errors.url : null}
        type="url"
        value={draft.url}
        maxLength={2_048}
        onChange={(event) => set({ url: event.target.value })}
      />
      <OptionsField label={messages.events} error={shown ? errors.events : null} multiple>
        {webhookEventNames.map((event) => (
          <label key={event} className="check">
            <input
              type="checkbox"
              checked={draft.events.includes(event)}
              onChange={() => set({ events: webhookEventNames.filter((one) => draft.events.includes(one) !== (one === event)) })}
            />
            <span>{messages.eventTexts[event]}</span>
          </label>
        ))}
      </OptionsField>
      <SelectField
        label={messages.scope}
        value={draft.scope}
        onChange={(event) => set({ scope: event.target.value as 'team' | 'portals' })}
      >
        <option value="team">{messages.scopes.team}</option>
        <option value="portals">{messages.scopes.portals}</option>
      </SelectField>
      <TextField
        label={messages.name}
        aside={shell.optional}
        value={draft.name ?? ''}
        maxLength={limits.nameLength}
        onChange={(event) => set({ name: event.target.value })}
      />
      <SelectField
        label={messages.method2}
        value={draft.method}
        onChange={(event) => set({ method: event.target.value as 'POST' | 'PUT' })}
      >
        <option>POST</option>
        <option>PUT</option>
      </SelectField>
      <TextAreaField
        label={messages.headers}
        aside={shell.optional}
        hint={messages.headersHint}
        error={shown ? errors.headers : null}
        className="input mono"
        spellCheck={false}
        autoComplete="off"
        value={lines}
        onChange={(event) => setLines(event.target.value)}
      />
      <CheckField label={messages.active} checked={draft.active} onChange={(event) => set({ active: event.target.checked })} />
    </FormDialog>
  );
}
