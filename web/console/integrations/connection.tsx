import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Connection as ConnectionRecord } from '#protocol/hosted/connections.ts';
import { MenuItem } from '#ui/menu.tsx';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/integrations.ts';
import { en } from '../../messages/en/console/integrations.ts';
import { useTeam } from '../app/account.ts';
import { goTo } from '../app/address.ts';
import { useApi } from '../app/api.ts';
import { useFallbackInterval } from '../app/live.ts';
import { textIn } from '../app/text-in.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import type { ViewProps } from '../app/view-props.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { ConfirmDialog } from '../ui/form-dialog.tsx';
import { MenuButton } from '../ui/menu-button.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { useToast } from '../ui/toasts.tsx';
import { useSentences } from '../ui/use-sentences.ts';
import { QueryView } from '../ui/view-states.tsx';
import { connectionsKey, integrationCalls } from './calls.ts';
import { ConnectionCheck } from './connection-check.tsx';
import { ConnectionDialog } from './connection-dialog.tsx';
import { providerOf } from './connection-draft.ts';
import { ConnectionFolder } from './connection-folder.tsx';
import { SetupLink } from './setup-link.tsx';
import { StatePill } from './state-pill.tsx';
import { useCheck } from './use-check.ts';
import { useProviderLabel } from './use-provider-label.ts';
import '../ui/rows.css';
import './integrations.css';

/** Milliseconds between two looks at a connection's state. */
const interval = 10_000;

/** One connection: whether it works, what to do if not, and what lies there. */
export default function Connection({ params }: ViewProps) {
  const team = useTeam();
  const api = useApi(integrationCalls);
  const connectionId = params['connection_id']!;
  const connection = useQuery({
    queryKey: [...connectionsKey(team.id), connectionId],
    queryFn: ({ signal }) => api.call('getConnection', { params: { connection_id: connectionId }, signal }),
    refetchInterval: useFallbackInterval(interval),
  });
  return <QueryView query={connection}>{(found) => <Shown connection={found} />}</QueryView>;
}

function Shown({ connection }: { readonly connection: ConnectionRecord }) {
  const { messages } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const team = useTeam();
  const [open, setOpen] = useState<'edit' | 'remove' | null>(null);
  const close = () => setOpen(null);
  const { state, state_message: why } = connection;
  const translate = useSentences();
  const labelOf = useProviderLabel();
  const check = useCheck(connection.id);
  return (
    <div className="view">
      <PageHeader
        title={connection.name}
        text={labelOf(providerOf(connection.provider).label)}
        back={{ href: `/t/${team.id}/integrations`, label: messages.back }}
      >
        <button type="button" className="button" onClick={() => setOpen('edit')}>
          {messages.edit}
        </button>
        <MenuButton label={shell.moreFor(connection.name)} className="button button-icon">
          <MenuItem label={messages.remove} onChoose={() => setOpen('remove')} />
        </MenuButton>
      </PageHeader>
      {state === 'ok' ? null : (
        <Notice tone="warn">
          <p>{translate(why)}</p>
          <p>{messages.todo[state]}</p>
        </Notice>
      )}
      <Facts connection={connection} checkFailed={check.progress?.check?.ok === false} isChecked={check.isRunning} />
      <ConnectionCheck check={check} />
      {connection.direction === 'cloud_to_service' ? <ConnectionFolder connection={connection} /> : null}
      {open === 'edit' ? <ConnectionDialog connection={connection} onClose={close} /> : null}
      {open === 'remove' ? <RemoveDialog connection={connection} onClose={close} /> : null}
    </div>
  );
}

interface FactsProps {
  readonly connection: ConnectionRecord;
  readonly checkFailed: boolean;
  readonly isChecked: boolean;
}

function Facts({ connection, checkFailed, isChecked }: FactsProps) {
  const { messages, day } = useTexts({ en, de });
  const { target_directory_id: target, source_directory_ids: sources, external_id: externalId } = connection;
  return (
    <section className="panel">
      <div className="panel-head">
        <h2>{messages.facts}</h2>
        <StatePill state={connection.state} checkFailed={checkFailed} isChecked={isChecked} />
      </div>
      <dl className="facts">
        <dt>{messages.direction}</dt>
        <dd>{messages.directions[connection.direction]}</dd>
        {target === '' ? null : (
          <>
            <dt>{messages.target}</dt>
            <dd className="mono">{target}</dd>
          </>
        )}
        {sources.length === 0 ? null : (
          <>
            <dt>{messages.sources}</dt>
            <dd className="mono">{sources.join(', ')}</dd>
          </>
        )}
        {externalId === undefined ? null : (
          <>
            <dt>{messages.externalId}</dt>
            <dd>
              <span className="mono">{externalId}</span> <CopyButton text={externalId} />
            </dd>
          </>
        )}
        <dt>{messages.since}</dt>
        <dd>{day(connection.created_at)}</dd>
      </dl>
      <SetupLink provider={connection.provider} />
    </section>
  );
}

function RemoveDialog({ connection, onClose }: { readonly connection: ConnectionRecord; readonly onClose: () => void }) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(integrationCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const remove = async () => {
    await api.call('deleteConnection', { params: { connection_id: connection.id } });
    toast({ text: textIn({ en, de }, ({ messages }) => messages.removed(connection.name)) });
    goTo(`/t/${team.id}/integrations`);
    await cache.invalidateQueries({ queryKey: connectionsKey(team.id), exact: true });
  };
  return (
    <ConfirmDialog title={messages.removeTitle(connection.name)} submit={messages.remove} onSubmit={remove} onClose={onClose}>
      <p>{messages.removeText}</p>
    </ConfirmDialog>
  );
}
