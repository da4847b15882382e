import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Connection } from '#protocol/hosted/connections.ts';
import { limits } from '#protocol/limits.ts';
import { type AuthorizationField, type ProviderName, providerNames } from '#protocol/providers.ts';
import { CheckField, OptionsField, SelectField, TextAreaField, TextField } from '#ui/field.tsx';
import { de } from '../../messages/de/console/integrations.ts';
import { en } from '../../messages/en/console/integrations.ts';
import { useTeam } from '../app/account.ts';
import { goTo } from '../app/address.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useToast } from '../ui/toasts.tsx';
import { useSentences } from '../ui/use-sentences.ts';
import { connectionsKey, integrationCalls, useGateways } from './calls.ts';
import { type ConnectionDraft, changeOf, creationOf, draftOf, faultsOf, fieldsOf, newDraft, providerOf } from './connection-draft.ts';
import { SetupLink } from './setup-link.tsx';
import { SourcesField } from './sources-field.tsx';
import { checkAtFirst } from './use-check.ts';
import { useProviderLabel } from './use-provider-label.ts';

/** Connects storage, or changes a connection: a form made from the catalogue of providers. Secrets never come back into it. */
export function ConnectionDialog({ connection, onClose }: { readonly connection: Connection | null; readonly onClose: () => void }) {
  const { messages } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const labelOf = useProviderLabel();
  const team = useTeam();
  const api = useApi(integrationCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const translate = useSentences();
  const [read] = useState(() => (connection ? draftOf(connection) : newDraft('amazon_s3')));
  const [draft, setDraft] = useState(read);
  const [shown, setShown] = useState(false);
  const faults = faultsOf(draft, connection ? 'update' : 'create');
  const provider = providerOf(draft.provider);
  const set = (change: Partial<ConnectionDraft>): void => setDraft({ ...draft, ...change });

  const save = async () => {
    setShown(true);
    if (Object.keys(faults).length > 0) return false;
    if (connection) {
      const { name } = await api.call('updateConnection', { params: { connection_id: connection.id }, body: changeOf(draft, read) });
      toast({ text: textIn({ en, de }, ({ messages }) => messages.saved(name)) });
    } else {
      const made = await api.call('createConnection', { params: { team_id: team.id }, body: creationOf(draft) });
      toast({ text: textIn({ en, de }, ({ messages }) => messages.connected(made.name)) });
      checkAtFirst(made.id);
      goTo(`/t/${team.id}/integrations/connections/${made.id}`);
    }
    await cache.invalidateQueries({ queryKey: connectionsKey(team.id) });
    return true;
  };
  const errorOf = ({ name }: AuthorizationField): string | null => {
    if (!shown || !(name in faults)) return null;
    const said = faults[name] ?? null;
    return said === null ? messages.missing : translate(said);
  };

  return (
    <FormDialog
      title={connection ? messages.editTitle(connection.name) : messages.connect}
      submit={connection ? shell.save : messages.connectSubmit}
      onSubmit={save}
      onClose={onClose}
    >
      {connection ? null : (
        <SelectField
          label={messages.provider}
          hint={<SetupLink provider={draft.provider} elsewhere />}
          value={draft.provider}
          onChange={(event) => setDraft({ ...newDraft(event.target.value as ProviderName), name: draft.name })}
        >
          {providerNames.map((name) => (
            <option key={name} value={name}>
              {labelOf(providerOf(name).label)}
            </option>
          ))}
        </SelectField>
      )}
      {!connection && provider.directions.length > 1 ? (
        <OptionsField label={messages.direction} multiple={false}>
          {provider.directions.map((direction) => (
            <label key={direction} className="check">
              <input type="radio" name="direction" checked={draft.direction === direction} onChange={() => set({ direction })} />
              <span>{messages.directions[direction]}</span>
            </label>
          ))}
        </OptionsField>
      ) : null}
      {provider.alternatives.length > 0 ? (
        <OptionsField label={messages.method} multiple={false}>
          {provider.alternatives.map(({ name, label }) => (
            <label key={name} className="check">
              <input type="radio" name="alternative" checked={draft.alternative === name} onChange={() => set({ alternative: name })} />
              <span>{labelOf(label)}</span>
            </label>
          ))}
        </OptionsField>
      ) : null}
      {connection && fieldsOf(draft).length > 0 ? <p className="hint">{messages.changeSecretHint}</p> : null}
      {fieldsOf(draft).map((field) => (
        <AuthorizationInput
          key={field.name}
          field={field}
          isChange={connection !== null}
          error={errorOf(field)}
          value={draft.values[field.name] ?? ''}
          onChange={(value) => set({ values: { ...draft.values, [field.name]: value } })}
        />
      ))}
      {provider.gateway ? <GatewayField value={draft.gatewayId} onChange={(gatewayId) => set({ gatewayId })} /> : null}
      <TextField
        label={messages.name}
        aside={shell.optional}
        hint={messages.nameHint}
        value={draft.name}
        maxLength={limits.nameLength}
        onChange={(event) => set({ name: event.target.value })}
      />
      {draft.direction === 'service_to_cloud' ? (
        <TextField
          label={messages.target}
          aside={shell.optional}
          hint={messages.targetHint}
          value={draft.target}
          maxLength={limits.pathLength}
          onChange={(event) => set({ target: event.target.value })}
        />
      ) : (
        <SourcesField
          connection={connection}
          draft={draft}
          requireCredentials={() => {
            setShown(true);
            return Object.keys(faults).length === 0;
          }}
          onChange={(sources) => set({ sources })}
        />
      )}
      {provider.s3 && draft.direction === 'service_to_cloud' ? (
        <CheckField label={messages.manifest} checked={draft.manifest} onChange={(event) => set({ manifest: event.target.checked })} />
      ) : null}
    </FormDialog>
  );
}

interface AuthorizationInputProps {
  readonly field: AuthorizationField;
  /** What is left empty stays. */
  readonly isChange: boolean;
  readonly error: string | null;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function AuthorizationInput({ field, isChange, error, value, onChange }: AuthorizationInputProps) {
  const labelOf = useProviderLabel();
  const { messages } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const common = {
    label: labelOf(field.label),
    aside: field.required || isChange ? undefined : shell.optional,
    error,
    value,
    placeholder: isChange ? messages.unchanged : undefined,
    maxLength: limits.authorizationValueLength,
    // Credentials of a provider are none of this page: a browser has nothing to offer or to remember.
    autoComplete: field.secret ? 'new-password' : 'off',
    spellCheck: false,
  };
  if (field.values) {
    const words: Readonly<Record<string, string>> = { true: messages.yes, false: messages.no };
    return (
      <SelectField label={common.label} aside={common.aside} error={error} value={value} onChange={(event) => onChange(event.target.value)}>
        {isChange || !field.required ? <option value="">{isChange ? messages.unchanged : ''}</option> : null}
        {field.values.map((one) => (
          <option key={one} value={one}>
            {words[one] ?? one}
          </option>
        ))}
      </SelectField>
    );
  }
  if (field.multiline) return <TextAreaField {...common} className="input mono" onChange={(event) => onChange(event.target.value)} />;
  return <TextField {...common} type={field.secret ? 'password' : 'text'} onChange={(event) => onChange(event.target.value)} />;
}

function GatewayField({ value, onChange }: { readonly value: string; readonly onChange: (id: string) => void }) {
  const { messages } = useTexts({ en, de });
  const gateways = useGateways();
  return (
    <SelectField label={messages.gateway} hint={messages.gatewayHint} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">{messages.noGateway}</option>
      {gateways.data?.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}
