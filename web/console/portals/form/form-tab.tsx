import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ServiceError } from '#client/errors.ts';
import type { Form } from '#protocol/hosted/forms.ts';
import type { Portal } from '#protocol/hosted/portals.ts';
import { FormIcon } from '#ui/icons.tsx';
import { de } from '../../../messages/de/console/portal-editor.ts';
import { en } from '../../../messages/en/console/portal-editor.ts';
import { useTeam } from '../../app/account.ts';
import { useApi } from '../../app/api.ts';
import { useTexts } from '../../app/texts.ts';
import { useFaultText } from '../../ui/fault-text.ts';
import { useToast } from '../../ui/toasts.tsx';
import { QueryView, ViewState } from '../../ui/view-states.tsx';
import { portalsKey } from '../calls.ts';
import { formCalls } from './calls.ts';
import { FormBuilder } from './form-builder.tsx';

/** What a Portal asks its senders. */
export default function FormTab({ portal }: { readonly portal: Portal }) {
  const team = useTeam();
  const api = useApi(formCalls);
  const cache = useQueryClient();
  const key = [...portalsKey(team.id), portal.id, 'form'];
  const form = useQuery({
    queryKey: key,
    // A form that is being changed is not replaced by what somebody else saved.
    refetchOnWindowFocus: false,
    queryFn: async ({ signal }): Promise<{ readonly form: Form | null }> => {
      try {
        return { form: await api.call('getForm', { params: { portal_id: portal.id }, signal }) };
      } catch (error) {
        if (error instanceof ServiceError && error.error === 'not_found') return { form: null };
        throw error;
      }
    },
  });
  const onChanged = (now: Form | null): void => {
    cache.setQueryData(key, { form: now });
    void cache.invalidateQueries({ queryKey: [...portalsKey(team.id), portal.id], exact: true });
  };
  return (
    <QueryView query={form}>
      {({ form: found }) =>
        found ? <FormBuilder key={found.id} form={found} onChanged={onChanged} /> : <NoForm portal={portal} onMade={onChanged} />
      }
    </QueryView>
  );
}

function NoForm({ portal, onMade }: { readonly portal: Portal; readonly onMade: (form: Form) => void }) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(formCalls);
  const toast = useToast();
  const fault = useFaultText();
  const [busy, setBusy] = useState(false);
  const templates = useQuery({
    queryKey: ['team', team.id, 'form-templates'],
    queryFn: ({ signal }) => api.call('listFormTemplates', { params: { team_id: team.id }, signal }),
  });
  const begin = async (templateId: string | null): Promise<void> => {
    setBusy(true);
    const template = templates.data?.find(({ id }) => id === templateId);
    try {
      const body = {
        name: template?.name ?? portal.name,
        delivery_formats: template?.delivery_formats ?? (['email_body', 'json'] as const).slice(),
        ...(template ? { form_template_id: template.id } : { fields: [] }),
      };
      onMade(await api.call('createForm', { params: { portal_id: portal.id }, body }));
    } catch (error) {
      toast({ text: fault(error), tone: 'bad' });
      setBusy(false);
    }
  };
  return (
    <ViewState icon={<FormIcon />} title={messages.form.none} text={messages.form.noneText}>
      <button type="button" className="button button-primary" disabled={busy} onClick={() => void begin(null)}>
        {messages.form.begin}
      </button>
      {templates.data && templates.data.length > 0 ? (
        <select
          className="input template-choice"
          aria-label={messages.form.fromTemplate}
          disabled={busy}
          value=""
          onChange={(event) => void begin(event.target.value)}
        >
          <option value="">{messages.form.fromTemplate}</option>
          {templates.data.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </select>
      ) : null}
    </ViewState>
  );
}
