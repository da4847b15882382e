import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { PlusIcon, PortalIcon, SearchIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/portals.ts';
import { en } from '../../messages/en/console/portals.ts';
import { useTeam } from '../app/account.ts';
import { changeQuery, goTo, useAddress } from '../app/address.ts';
import { useApi } from '../app/api.ts';
import { uncounted } from '../app/counted.ts';
import { textIn } from '../app/text-in.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { ChoiceOfMany } from '../ui/choice-of-many.tsx';
import { useChoiceSources } from '../ui/choice-sources.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { useToast } from '../ui/toasts.tsx';
import { QueryView, ViewState } from '../ui/view-states.tsx';
import { portalCalls, portalsKey } from './calls.ts';
import { CreateDialog } from './create-dialog.tsx';
import { PortalCard } from './portal-card.tsx';
import '../ui/rows.css';
import './portals.css';

const pageSize = 24;

/** The Team's Portals as cards. */
export default function Portals() {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(portalCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const fault = useFaultText();
  const { query } = useAddress();
  const [creating, setCreating] = useState(false);
  const [name, space] = [query.get('name') ?? '', query.get('teamspace') ?? ''];
  const portals = useInfiniteQuery({
    queryKey: [...portalsKey(team.id), { name, space }],
    initialPageParam: '',
    queryFn: ({ pageParam: after, signal }) =>
      api.call('listPortals', {
        params: { team_id: team.id },
        query: {
          page: 1,
          limit: pageSize,
          count_up_to: uncounted,
          ...(after && { after }),
          ...(name && { name }),
          ...(space && { teamspaces: space }),
        },
        signal,
      }),
    getNextPageParam: ({ next }) => next || undefined,
    placeholderData: keepPreviousData,
  });
  const instant = useMutation({
    mutationFn: () => api.call('createInstantPortal', { params: { team_id: team.id }, body: {}, idempotencyKey: crypto.randomUUID() }),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: portalsKey(team.id) });
      toast({ text: textIn({ en, de }, ({ messages }) => messages.made) });
    },
    onError: (error) => toast({ text: fault(error), tone: 'bad' }),
  });
  const acts = (
    <>
      <button type="button" className="button" disabled={instant.isPending} onClick={() => instant.mutate()}>
        <PortalIcon /> {messages.instant}
      </button>
      <button type="button" className="button button-primary" onClick={() => setCreating(true)}>
        <PlusIcon /> {messages.create}
      </button>
    </>
  );
  const searched = name !== '' || space !== '';
  return (
    <div className="view">
      <PageHeader title={messages.title} text={messages.text}>
        {acts}
      </PageHeader>
      <QueryView query={portals}>
        {({ pages }) => {
          const records = pages.flatMap((page) => page.records);
          if (records.length === 0 && !searched) {
            return (
              <ViewState icon={<PortalIcon />} title={messages.empty} text={messages.emptyText}>
                {acts}
              </ViewState>
            );
          }
          return (
            <>
              <Filters name={name} space={space} />
              {records.length === 0 ? (
                <ViewState icon={<SearchIcon />} title={messages.nothing} text={messages.nothingText}>
                  <button type="button" className="button" onClick={() => changeQuery({ name: '', teamspace: '' })}>
                    {messages.clear}
                  </button>
                </ViewState>
              ) : (
                <ul className="portal-cards" aria-label={messages.list}>
                  {records.map((portal) => (
                    <PortalCard key={portal.id} portal={portal} />
                  ))}
                </ul>
              )}
              <MoreButton query={portals} />
            </>
          );
        }}
      </QueryView>
      {creating ? (
        <CreateDialog onClose={() => setCreating(false)} onCreated={(portal) => goTo(`/t/${team.id}/portals/${portal.id}`)} />
      ) : null}
    </div>
  );
}

/** Searches while the person types. */
function Filters({ name, space }: { readonly name: string; readonly space: string }) {
  const { messages } = useTexts({ en, de });
  const { teamspaces } = useChoiceSources();
  return (
    <search className="list-filters">
      <div className="search-field">
        <SearchIcon />
        <input
          type="search"
          className="input"
          aria-label={messages.search}
          placeholder={messages.search}
          value={name}
          onChange={(event) => changeQuery({ name: event.target.value })}
        />
      </div>
      <ChoiceOfMany
        inLine
        source={teamspaces}
        label={messages.teamspace}
        none={messages.everyTeamspace}
        value={space}
        onChoose={(chosen) => changeQuery({ teamspace: chosen?.id ?? '' })}
      />
    </search>
  );
}

interface MoreButtonProps {
  readonly query: { readonly hasNextPage: boolean; readonly isFetchingNextPage: boolean; readonly fetchNextPage: () => unknown };
}

function MoreButton({ query }: MoreButtonProps) {
  const { messages } = useShellTexts();
  if (!query.hasNextPage) return null;
  return (
    <button type="button" className="button portal-more" disabled={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
      {messages.more}
    </button>
  );
}
