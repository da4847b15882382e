import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { ServiceError } from '#client/errors.ts';
import type { CloudFile, Connection } from '#protocol/hosted/connections.ts';
import { focusFirstError, SelectField } from '#ui/field.tsx';
import { CloseIcon, PlugIcon } from '#ui/icons.tsx';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/send.ts';
import { en } from '../../messages/en/console/send.ts';
import { useTeam } from '../app/account.ts';
import { goTo } from '../app/address.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useTexts } from '../app/texts.ts';
import { tokenOf } from '../packages/actions.ts';
import { CloudFolder, useConnectionFiles } from '../ui/cloud-folder.tsx';
import { useFaultText } from '../ui/fault-text.ts';
import { useToast } from '../ui/toasts.tsx';
import { useSentences } from '../ui/use-sentences.ts';
import { QueryView, ViewState } from '../ui/view-states.tsx';
import { useCreatePackage } from './create-package.ts';
import { faultsOf, hasFault } from './draft.ts';
import type { KeptDraft } from './kept-draft.ts';
import { PackageFields } from './package-fields.tsx';
import { heldName, proposedName } from './proposed-name.ts';

const calls = defineCalls({
  listConnections: { method: 'GET', path: '/v1/teams/{team_id}/cloud_connections', reply: { status: 200 } },
  createTransfer: { method: 'POST', path: '/v1/packages/{package_id}/transfer', reply: { status: 201 } },
  deletePackage: { method: 'DELETE', path: '/v1/packages/{package_id}', reply: { status: 204 } },
});

/** As many entries as one transfer takes. */
const mostEntries = 10_000;

/** Files of connected storage, which the service fetches by itself, and what is said of them. */
export function CloudForm({ kept }: { readonly kept: KeptDraft }) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(calls);
  const connections = useQuery({
    queryKey: ['team', team.id, 'connections'],
    queryFn: ({ signal }) => api.call('listConnections', { params: { team_id: team.id }, signal }),
  });
  return (
    <QueryView query={connections}>
      {(list) => {
        const sources = list.filter(({ direction }) => direction === 'cloud_to_service');
        return sources.length === 0 ? (
          <ViewState icon={<PlugIcon />} title={messages.cloud.none} text={messages.cloud.noneText}>
            <a className="button button-primary" href={`/t/${team.id}/integrations`}>
              {messages.cloud.connect}
            </a>
          </ViewState>
        ) : (
          <Form sources={sources} kept={kept} />
        );
      }}
    </QueryView>
  );
}

function Form({ sources, kept }: { readonly sources: readonly Connection[]; readonly kept: KeptDraft }) {
  const { messages, number } = useTexts({ en, de });
  const text = messages.cloud;
  const team = useTeam();
  const api = useApi(calls);
  const create = useCreatePackage();
  const toast = useToast();
  const fault = useFaultText();
  const translate = useSentences();
  const { draft, change, clear } = kept;
  const { fields } = draft;
  const known = sources.find(({ id }) => id === draft.connectionId);
  const connection = known ?? sources[0]!;
  // What was chosen in one that is gone is in no other.
  const chosen = known || draft.connectionId === '' ? draft.chosen : [];
  const files = useConnectionFiles(connection.id);
  const [judged, setJudged] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ReactNode>('');
  /** Whether the last try was held back by fields that are marked. */
  const [marked, setMarked] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const key = useRef('');
  const proposed = proposedName(chosen.map(({ name, kind }) => (kind === 'directory' ? { path: name, name } : { path: '', name })));
  const faults = faultsOf(fields, proposed, team, new Date());
  const clash = sameName(chosen);
  const choice = chosen.length === 0 ? text.nothing : clash === null ? null : text.clash(clash);
  const toggle = (file: CloudFile): void =>
    change({
      connectionId: connection.id,
      chosen: chosen.some(({ id }) => id === file.id) ? chosen.filter(({ id }) => id !== file.id) : [...chosen, file],
    });

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setJudged(true);
    setProblem('');
    setMarked(false);
    if (choice !== null || hasFault(faults)) {
      setMarked(true);
      focusFirstError(form.current);
      return;
    }
    setBusy(true);
    key.current ||= crypto.randomUUID();
    try {
      const made = await create(fields, proposed, key.current);
      const of = { params: { package_id: made.id }, credential: tokenOf(made) };
      const files = chosen.map(({ id, name, kind }) => ({ id, name: heldName(name)!, kind }));
      try {
        await api.call('createTransfer', {
          ...of,
          body: { cloud_connection_id: connection.id, finalize: true, files },
          idempotencyKey: `transfer-${key.current}`,
        });
      } catch (error) {
        await api.call('deletePackage', of).catch(() => undefined);
        throw error;
      }
      toast({ text: textIn({ en, de }, ({ messages }) => messages.cloud.started(made.name)) });
      clear();
      goTo(`/t/${team.id}/packages/${made.id}`);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.error !== 'service_unreachable') key.current = '';
      setProblem(fault(error));
      setBusy(false);
    }
  };

  return (
    <form ref={form} className="panel send-form send-cloud" noValidate aria-busy={busy} onSubmit={submit}>
      <section className="form" aria-labelledby="send-cloud">
        <h2 id="send-cloud">{text.browse}</h2>
        <SelectField
          label={text.connection}
          hint={connection.state === 'ok' ? undefined : translate(connection.state_message) || text.offline}
          value={connection.id}
          onChange={(event) => change({ connectionId: event.target.value, chosen: [] })}
        >
          {sources.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <CloudFolder
          key={connection.id}
          source={files}
          leading={(file) => (
            <input
              type="checkbox"
              aria-label={text.choose(file.name)}
              checked={chosen.some(({ id }) => id === file.id)}
              disabled={file.archived === true || heldName(file.name) === null || chosen.length >= mostEntries}
              onChange={() => toggle(file)}
            />
          )}
        />
        {chosen.length > 0 ? (
          <>
            <p role="status">{text.chosen(number(chosen.length), chosen.length === 1)}</p>
            <ul className="chosen-entries">
              {chosen.map((file) => (
                <li key={file.id} title={file.id}>
                  <bdi>{file.name}</bdi>
                  <button
                    type="button"
                    className="button button-quiet button-icon button-small"
                    aria-label={text.remove(file.name)}
                    onClick={() => toggle(file)}
                  >
                    <CloseIcon />
                  </button>
                </li>
              ))}
            </ul>
          </>
        ) : null}
        {judged && choice !== null ? <p className="field-error">{choice}</p> : null}
      </section>
      <section className="form" aria-labelledby="send-details">
        <h2 id="send-details">{messages.details}</h2>
        <PackageFields
          draft={fields}
          onChange={(changes) => change((before) => ({ fields: { ...before.fields, ...changes } }))}
          passwordLost={draft.passwordLost}
          proposed={proposed}
          faults={judged ? faults : null}
        />
      </section>
      {problem === '' && !marked ? null : <Notice tone="bad">{marked ? messages.wrong.summary : problem}</Notice>}
      <p className="hint">{text.keepOpen}</p>
      <button type="submit" className="button button-primary send-button" disabled={busy}>
        {busy ? messages.starting : chosen.length > 0 ? text.send(number(chosen.length), chosen.length === 1) : messages.sendNothing}
      </button>
    </form>
  );
}

/** A name that two chosen entries have: in the package each needs its own. */
function sameName(chosen: readonly CloudFile[]): string | null {
  const seen = new Set<string>();
  for (const { name } of chosen) {
    const key = (heldName(name) ?? name).toLowerCase();
    if (seen.has(key)) return name;
    seen.add(key);
  }
  return null;
}
