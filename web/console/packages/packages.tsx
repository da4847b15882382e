import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Package } from '#protocol/hosted/packages.ts';
import { PackageIcon, SendIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/packages.ts';
import { en } from '../../messages/en/console/packages.ts';
import { useMay, useTeam } from '../app/account.ts';
import { changeQuery, useAddress } from '../app/address.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { useTexts } from '../app/texts.ts';
import { KeysetList } from '../ui/keyset-list.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { QueryView, ViewState } from '../ui/view-states.tsx';
import { FilterBar } from './filter-bar.tsx';
import { apiQueryOf, filterNames, isFiltered, listOf, type PackageList, shown } from './list-query.ts';
import { PackageRow } from './package-row.tsx';
import { SelectionBar } from './selection-bar.tsx';
import '../ui/rows.css';
import './packages.css';
import { Tabs } from '../ui/tabs.tsx';

const calls = defineCalls({
  listTeamPackages: { method: 'GET', path: '/v1.1/teams/{team_id}/packages', reply: { status: 200 } },
});

const pageSize = 50;

/** A Team's packages: those that were sent and received, and those that are over. */
export default function Packages() {
  const { messages, number } = useTexts({ en, de });
  const team = useTeam();
  const maySend = useMay()('packages.create');
  const { query: address } = useAddress();
  const list = useMemo(() => listOf(address), [address]);
  const packages = usePackages(list);
  const total = packages.data?.pages[0]?.metadata.total;
  return (
    <div className="view">
      <PageHeader title={messages.title} {...(total === undefined ? {} : { text: messages.total(number(total), total === 1) })}>
        {maySend ? (
          <a className="button button-primary" href={`/t/${team.id}/send`}>
            <SendIcon /> {messages.send}
          </a>
        ) : null}
      </PageHeader>
      <Tabs label={messages.shown.label}>
        {shown.map((one) => (
          <button
            key={one}
            type="button"
            className="tab"
            aria-current={list.shown === one ? 'true' : undefined}
            onClick={() => changeQuery({ show: one === 'all' ? '' : one })}
          >
            {messages.shown[one]}
          </button>
        ))}
      </Tabs>
      <FilterBar list={list} />
      <QueryView query={packages}>
        {({ pages }) => (
          <Loaded
            key={JSON.stringify(list)}
            list={list}
            records={unique(pages.flatMap(({ records }) => records))}
            more={packages.hasNextPage ? { loading: packages.isFetchingNextPage, load: () => void packages.fetchNextPage() } : undefined}
          />
        )}
      </QueryView>
    </div>
  );
}

function usePackages(list: PackageList) {
  const api = useApi(calls);
  const team = useTeam();
  const query = apiQueryOf(list);
  return useInfiniteQuery({
    queryKey: ['team', team.id, 'packages', query],
    queryFn: ({ pageParam, signal }) =>
      api.call('listTeamPackages', { params: { team_id: team.id }, query: { ...query, page: pageParam, limit: pageSize }, signal }),
    initialPageParam: 1,
    getNextPageParam: ({ metadata, records }, pages) =>
      records.length === pageSize && pages.length * pageSize < metadata.total ? pages.length + 1 : undefined,
    placeholderData: keepPreviousData,
  });
}

/** Pages move when a package comes, so that one may be in two of them. */
function unique(records: readonly Package[]): readonly Package[] {
  return [...new Map(records.map((one) => [one.id, one])).values()];
}

interface LoadedProps {
  readonly list: PackageList;
  readonly records: readonly Package[];
  readonly more: { readonly loading: boolean; readonly load: () => void } | undefined;
}

function Loaded({ list, records, more }: LoadedProps) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const mayManage = team.permissions.includes('packages.manage_own');
  const chosen = records.filter(({ id }) => selected.has(id));
  const select = (id: string): void => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  };
  if (records.length === 0) return <Empty list={list} />;
  return (
    <>
      <section className="panel">
        <KeysetList
          label={messages.list}
          items={records}
          keyOf={({ id }) => id}
          rowHeight={72}
          more={more}
          row={(one) => (
            <PackageRow record={one} selected={selected.has(one.id)} {...(mayManage ? { onSelect: () => select(one.id) } : {})} />
          )}
        />
      </section>
      {chosen.length > 0 ? (
        <SelectionBar
          shown={list.shown}
          chosen={chosen}
          onAll={() => setSelected(new Set(records.map(({ id }) => id)))}
          onNone={() => setSelected(new Set())}
        />
      ) : null}
    </>
  );
}

function Empty({ list }: { readonly list: PackageList }) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const may = useMay();
  const maySend = may('packages.create');
  const { empty, filter } = messages;
  if (isFiltered(list)) {
    const clear = Object.fromEntries([...filterNames, 'q'].map((name) => [name, '']));
    return (
      <ViewState icon={<PackageIcon />} title={empty.none} text={empty.noneText}>
        <button type="button" className="button" onClick={() => changeQuery(clear)}>
          {filter.clear}
        </button>
      </ViewState>
    );
  }
  const whole = may('packages.see_all') ? empty.allText : empty.ownText;
  const text = list.shown === 'all' || list.shown === 'sent' ? whole : list.shown === 'received' ? empty.receivedText : empty.text;
  return (
    <ViewState icon={<PackageIcon />} title={empty[list.shown]} text={text}>
      {maySend && (list.shown === 'all' || list.shown === 'sent') ? (
        <a className="button button-primary" href={`/t/${team.id}/send`}>
          {empty.send}
        </a>
      ) : null}
    </ViewState>
  );
}
