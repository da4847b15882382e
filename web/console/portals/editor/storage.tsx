import { useQuery } from '@tanstack/react-query';
import { OptionsField } from '#ui/field.tsx';
import { de } from '../../../messages/de/console/portal-editor.ts';
import { en } from '../../../messages/en/console/portal-editor.ts';
import { useTeam } from '../../app/account.ts';
import { defineCalls, useApi } from '../../app/api.ts';
import { useTexts } from '../../app/texts.ts';
import { filterCalls, filtersKey } from '../../filters/calls.ts';
import { Section, type SettingsProps } from './section.tsx';

const calls = defineCalls({
  listConnections: { method: 'GET', path: '/v1/teams/{team_id}/cloud_connections', reply: { status: 200 } },
  listFilters: filterCalls.listFilters,
  listWebhooks: { method: 'GET', path: '/v1/teams/{team_id}/custom_webhooks', reply: { status: 200 } },
});

/** Where packages are transferred to by themselves, and which webhooks hear of them. */
export function Storage({ draft, faults, change }: SettingsProps) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(calls);
  const params = { team_id: team.id };
  const connections = useQuery({
    queryKey: ['team', team.id, 'connections', 'choice'],
    queryFn: ({ signal }) => api.call('listConnections', { params, signal }),
  });
  const filters = useQuery({
    queryKey: filtersKey(team.id),
    queryFn: ({ signal }) => api.call('listFilters', { params, signal }),
  });
  const webhooks = useQuery({
    queryKey: ['team', team.id, 'webhooks', 'choice'],
    queryFn: ({ signal }) => api.call('listWebhooks', { params, signal }),
  });
  const targets = connections.data?.filter(({ direction }) => direction !== 'cloud_to_service') ?? [];
  const toggleConnection = (id: string, wanted: boolean): void =>
    change({
      cloud_connections: wanted
        ? [...draft.cloud_connections, { id, target_action: 'transfer' }]
        : draft.cloud_connections.filter((one) => one.id !== id),
    });
  const chooseFilter = (id: string, filterId: string): void =>
    change({
      cloud_connections: draft.cloud_connections.map((one) =>
        one.id === id ? { id, target_action: one.target_action, ...(filterId !== '' && { filter_id: filterId }) } : one,
      ),
    });
  return (
    <Section title={messages.sections.storage}>
      {connections.data && targets.length === 0 ? (
        <p className="hint">
          {messages.noConnections}{' '}
          <a href={`/t/${team.id}/integrations`} target="_blank" rel="noopener">
            {messages.connect}
          </a>
        </p>
      ) : null}
      {targets.length > 0 ? (
        <OptionsField label={messages.connections} error={faults['cloud_connections'] ?? null} multiple>
          {targets.map(({ id, name }) => {
            const attached = draft.cloud_connections.find((one) => one.id === id);
            return (
              <div key={id} className="editor-connection">
                <label className="check" dir="auto">
                  <input
                    type="checkbox"
                    checked={attached !== undefined}
                    onChange={(event) => toggleConnection(id, event.target.checked)}
                  />
                  <span>{name}</span>
                </label>
                {attached && filters.data && filters.data.length > 0 ? (
                  <select
                    className="input"
                    aria-label={messages.filterOf(name)}
                    value={attached.filter_id ?? ''}
                    onChange={(event) => chooseFilter(id, event.target.value)}
                  >
                    <option value="">{messages.noFilter}</option>
                    {filters.data.map((filter) => (
                      <option key={filter.id} value={filter.id}>
                        {messages.filtered(filter.name)}
                      </option>
                    ))}
                  </select>
                ) : null}
              </div>
            );
          })}
        </OptionsField>
      ) : null}
      {webhooks.data?.length === 0 ? <p className="hint">{messages.noWebhooks}</p> : null}
      {webhooks.data && webhooks.data.length > 0 ? (
        <OptionsField label={messages.webhooks} error={faults['custom_webhooks'] ?? null} multiple>
          {webhooks.data.map(({ id, name, url }) => (
            <label key={id} className="check" dir="auto">
              <input
                type="checkbox"
                checked={draft.custom_webhooks.some((one) => one.id === id)}
                onChange={(event) =>
                  change({
                    custom_webhooks: event.target.checked
                      ? [...draft.custom_webhooks, { id }]
                      : draft.custom_webhooks.filter((one) => one.id !== id),
                  })
                }
              />
              <span>{name || url}</span>
            </label>
          ))}
        </OptionsField>
      ) : null}
    </Section>
  );
}
