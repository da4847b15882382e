import { useState } from 'react';
import type { CreateMount } from '#protocol/agent/mounts.ts';
import { limits } from '#protocol/limits.ts';
import { type Direction, directions, gatewayProviders } from '#protocol/providers.ts';
import { SelectField, TextField } from '#ui/field.tsx';
import { useLocale } from '../../messages/locale.ts';
import { faultText, plainText } from '../../messages/localized-text.ts';
import { baseName, isAbsolute } from '../../paths/path-text.ts';
import type { TeamChoice } from '../../send/team-choice.ts';
import { faultyPart } from './mount-faults.ts';
import { MountForm } from './mount-form.tsx';
import { useCreateMount, useGatewayConnections, useMounts } from './queries.ts';
import { useMountTexts } from './texts.ts';

type Provider = (typeof gatewayProviders)[number];

/** Makes a folder a mount: of a new connection, or of one that the Team has. */
export function NewMount({ teams, onDone }: { readonly teams: readonly TeamChoice[]; readonly onDone: () => void }) {
  const { messages } = useLocale();
  const texts = useMountTexts();
  const create = useCreateMount();
  const [key, setKey] = useState('');
  const [path, setPath] = useState('');
  const [judged, setJudged] = useState(false);
  const [connection, setConnection] = useState('');
  const [provider, setProvider] = useState<Provider>('storage_gateway');
  const [name, setName] = useState('');
  const [direction, setDirection] = useState<Direction>('service_to_cloud');
  const [readOnly, setReadOnly] = useState(false);
  const choice = teams.find((one) => one.key === key) ?? teams[0];
  const connections = useGatewayConnections(choice?.team.id);
  const taken = new Set(useMounts().data?.map((mount) => mount.cloud_connection_id));
  const free = (connections.data ?? []).filter((one) => !taken.has(one.id));

  const part = faultyPart(create.error);
  const said = create.error ? plainText(faultText(create.error, messages)) : null;
  const partial = judged && !isAbsolute(path.trim()) ? messages.get.folderPartial : null;

  const submit = (): boolean => {
    setJudged(true);
    if (!choice || !isAbsolute(path.trim())) return false;
    const made: Partial<CreateMount> =
      connection === ''
        ? { provider, direction: readOnly ? 'cloud_to_service' : direction, ...(name.trim() ? { name: name.trim() } : {}) }
        : { cloud_connection_id: connection };
    create.mutate({ team_id: choice.team.id, path: path.trim(), read_only: readOnly, ...made }, { onSuccess: onDone });
    return true;
  };
  const changePath = (next: string): void => {
    setPath(next);
    if (part === 'path') create.reset();
  };
  return (
    <MountForm
      label={texts.adding}
      error={create.error}
      folder={{ value: path, onChange: changePath, hint: texts.folderHint, error: partial ?? (part === 'path' ? said : null) }}
      readOnly={{ value: readOnly, onChange: setReadOnly }}
      submit={{ text: create.isPending ? texts.making : texts.make, isDisabled: create.isPending }}
      onSubmit={submit}
      onCancel={onDone}
      before={
        teams.length > 1 ? (
          <SelectField
            label={texts.team}
            value={choice?.key}
            onChange={(event) => {
              setKey(event.target.value);
              setConnection('');
            }}
          >
            {teams.map((one) => (
              <option key={one.key} value={one.key}>
                {one.team.name}
              </option>
            ))}
          </SelectField>
        ) : null
      }
    >
      <SelectField
        label={texts.connection}
        value={connection}
        hint={connections.isLoading ? texts.connectionsLoading : undefined}
        error={part === 'connection' ? said : connections.error ? plainText(faultText(connections.error, messages)) : null}
        onChange={(event) => {
          setConnection(event.target.value);
          if (part === 'connection') create.reset();
        }}
      >
        <option value="">{texts.connectionNew}</option>
        {free.map((one) => (
          <option key={one.id} value={one.id}>
            {texts.connectionOf(one.name, texts.kinds[one.provider])}
          </option>
        ))}
      </SelectField>
      {connection === '' ? (
        <>
          <SelectField label={texts.kind} value={provider} onChange={(event) => setProvider(event.target.value as Provider)}>
            {gatewayProviders.map((one) => (
              <option key={one} value={one}>
                {texts.kinds[one]}
              </option>
            ))}
          </SelectField>
          <TextField
            label={texts.name}
            aside={messages.send.form.optional}
            autoComplete="off"
            maxLength={limits.nameLength}
            placeholder={path.trim() ? baseName(path.trim()) : undefined}
            value={name}
            onChange={(event) => setName(event.target.value)}
            hint={texts.nameHint}
          />
          <SelectField
            label={texts.direction}
            value={readOnly ? 'cloud_to_service' : direction}
            disabled={readOnly}
            onChange={(event) => setDirection(event.target.value as Direction)}
          >
            {directions.map((one) => (
              <option key={one} value={one}>
                {texts.directions[one]}
              </option>
            ))}
          </SelectField>
        </>
      ) : null}
    </MountForm>
  );
}
