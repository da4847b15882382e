import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Filter } from '#protocol/hosted/filters.ts';
import { FilterIcon, PlusIcon } from '#ui/icons.tsx';
import { MenuItem } from '#ui/menu.tsx';
import { de } from '../../messages/de/console/filters.ts';
import { en } from '../../messages/en/console/filters.ts';
import { useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { ConfirmDialog } from '../ui/form-dialog.tsx';
import { KeysetList } from '../ui/keyset-list.tsx';
import { MenuButton } from '../ui/menu-button.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { useToast } from '../ui/toasts.tsx';
import { QueryView, ViewState } from '../ui/view-states.tsx';
import { filterCalls, filtersKey } from './calls.ts';
import { FilterDialog } from './filter-dialog.tsx';
import '../ui/rows.css';

type Open = { readonly action: 'make' } | { readonly action: 'edit' | 'delete'; readonly filter: Filter } | null;

/** The filters of a Team. */
export default function Filters() {
  const { messages, number } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const team = useTeam();
  const api = useApi(filterCalls);
  const filters = useQuery({
    queryKey: filtersKey(team.id),
    queryFn: ({ signal }) => api.call('listFilters', { params: { team_id: team.id }, signal }),
  });
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const makeButton = (
    <button type="button" className="button button-primary" onClick={() => setOpen({ action: 'make' })}>
      <PlusIcon /> {messages.make}
    </button>
  );
  return (
    <div className="view">
      <PageHeader title={messages.title} text={messages.text}>
        {filters.data?.length ? makeButton : null}
      </PageHeader>
      <QueryView query={filters}>
        {(found) =>
          found.length === 0 ? (
            <ViewState icon={<FilterIcon />} title={messages.empty} text={messages.emptyText}>
              {makeButton}
            </ViewState>
          ) : (
            <section className="panel">
              <KeysetList
                label={messages.list}
                items={found}
                keyOf={({ id }) => id}
                rowHeight={84}
                row={(filter) => (
                  <div className="row">
                    <div className="row-main">
                      <span className="row-name" dir="auto">
                        {filter.name}
                      </span>
                      <span className="row-facts">
                        <span>{messages[filter.rules[0]?.action ?? 'include']}</span>
                        <span>{filter.portals === 0 ? messages.unused : messages.used(number(filter.portals), filter.portals === 1)}</span>
                      </span>
                      <span className="mono">{filter.rules[0]?.values.join('  ')}</span>
                    </div>
                    <MenuButton label={shell.moreFor(filter.name)}>
                      <MenuItem label={messages.edit} onChoose={() => setOpen({ action: 'edit', filter })} />
                      <MenuItem label={messages.delete} onChoose={() => setOpen({ action: 'delete', filter })} />
                    </MenuButton>
                  </div>
                )}
              />
            </section>
          )
        }
      </QueryView>
      {open?.action === 'make' ? <FilterDialog filter={null} onClose={close} /> : null}
      {open?.action === 'edit' ? <FilterDialog filter={open.filter} onClose={close} /> : null}
      {open?.action === 'delete' ? <DeleteDialog filter={open.filter} onClose={close} /> : null}
    </div>
  );
}

function DeleteDialog({ filter, onClose }: { readonly filter: Filter; readonly onClose: () => void }) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(filterCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const remove = async () => {
    await api.call('deleteFilter', { params: { filter_id: filter.id } });
    toast({ text: textIn({ en, de }, ({ messages }) => messages.deleted(filter.name)) });
    await cache.invalidateQueries({ queryKey: filtersKey(team.id), exact: true });
  };
  return (
    <ConfirmDialog title={messages.deleteTitle(filter.name)} submit={messages.delete} onSubmit={remove} onClose={onClose}>
      <p>{messages.deleteText}</p>
    </ConfirmDialog>
  );
}
