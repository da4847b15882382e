import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DownloadIcon, LogIcon } from '#ui/icons.tsx';
import { MenuItem } from '#ui/menu.tsx';
import { de } from '../../messages/de/console/audit-log.ts';
import { en } from '../../messages/en/console/audit-log.ts';
import { useTeam } from '../app/account.ts';
import { changeQuery, useAddress } from '../app/address.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { useTexts } from '../app/texts.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { KeysetList } from '../ui/keyset-list.tsx';
import { MenuButton } from '../ui/menu-button.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { useSaveFile } from '../ui/save-file.ts';
import { useToast } from '../ui/toasts.tsx';
import { QueryView, ViewState } from '../ui/view-states.tsx';
import { EntryRow } from './entry-row.tsx';
import { type AuditFilters, filterNames } from './filter-names.ts';
import { Filters } from './filters.tsx';
import { VerifyLog } from './verify-log.tsx';
import './audit-log.css';

const calls = defineCalls({
  listAuditLog: { method: 'GET', path: '/v1/teams/{team_id}/audit_log', reply: { status: 200 } },
});

/** The filters stand in the address, so that a search can be sent to somebody. */
function useFilters(): AuditFilters {
  const { query } = useAddress();
  return Object.fromEntries(filterNames.flatMap((name) => (query.get(name) ? [[name, query.get(name)!]] : [])));
}

/** Who did what in the Team, when and from where. */
export default function AuditLog() {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(calls);
  const filters = useFilters();
  const [verifying, setVerifying] = useState(false);
  const log = useInfiniteQuery({
    queryKey: ['team', team.id, 'audit-log', filters],
    queryFn: ({ pageParam, signal }) =>
      api.call('listAuditLog', {
        params: { team_id: team.id },
        query: { limit: 100, ...filters, ...(pageParam === '' ? {} : { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  });
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <div className="view">
      <PageHeader title={messages.title} text={messages.text}>
        <button type="button" className="button" onClick={() => setVerifying(true)}>
          {messages.verify}
        </button>
        <ExportMenu filters={filters} />
      </PageHeader>
      {verifying ? <VerifyLog onClose={() => setVerifying(false)} /> : null}
      <Filters filters={filters} />
      <QueryView query={log}>
        {({ pages }) => {
          const entries = pages.flatMap(({ records }) => records);
          if (entries.length === 0) {
            return isFiltered ? (
              <ViewState icon={<LogIcon />} title={messages.nothingFound} text={messages.nothingFoundText}>
                <button
                  type="button"
                  className="button"
                  onClick={() => changeQuery(Object.fromEntries(filterNames.map((name) => [name, ''])))}
                >
                  {messages.clear}
                </button>
              </ViewState>
            ) : (
              <ViewState icon={<LogIcon />} title={messages.empty} text={messages.emptyText} />
            );
          }
          return (
            <section className="panel">
              <KeysetList
                label={messages.title}
                items={entries}
                keyOf={({ id }) => id}
                rowHeight={68}
                row={(entry) => <EntryRow entry={entry} />}
                {...(log.hasNextPage ? { more: { loading: log.isFetchingNextPage, load: () => void log.fetchNextPage() } } : {})}
              />
            </section>
          );
        }}
      </QueryView>
    </div>
  );
}

function ExportMenu({ filters }: { readonly filters: AuditFilters }) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const save = useSaveFile();
  const toast = useToast();
  const fault = useFaultText();
  const exportAs = async (kind: 'csv' | 'jsonl') => {
    const query = new URLSearchParams(filters as Record<string, string>);
    try {
      await save(`/v1/teams/${team.id}/audit_log/export.${kind}${query.size > 0 ? `?${query}` : ''}`, `audit-log.${kind}`);
    } catch (error) {
      toast({ text: fault(error), tone: 'bad' });
    }
  };
  return (
    <MenuButton
      label={messages.export}
      content={
        <>
          <DownloadIcon /> {messages.export}
        </>
      }
      className="button"
    >
      <MenuItem label={messages.csv} onChoose={() => void exportAs('csv')} />
      <MenuItem label={messages.jsonLines} onChoose={() => void exportAs('jsonl')} />
    </MenuButton>
  );
}
