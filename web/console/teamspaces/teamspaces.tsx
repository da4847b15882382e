import { useState } from 'react';
import type { Teamspace } from '#protocol/hosted/teamspaces.ts';
import { PlusIcon, TeamspaceIcon } from '#ui/icons.tsx';
import { MenuItem } from '#ui/menu.tsx';
import { de } from '../../messages/de/console/teamspaces.ts';
import { en } from '../../messages/en/console/teamspaces.ts';
import { useMay, useTeam } from '../app/account.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { KeysetList } from '../ui/keyset-list.tsx';
import { MenuButton } from '../ui/menu-button.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { QueryView, ViewState } from '../ui/view-states.tsx';
import { useTeamspaces } from './calls.ts';
import { DeleteDialog, NameDialog } from './teamspace-dialogs.tsx';
import '../ui/rows.css';

type Open = { readonly action: 'make' } | { readonly action: 'rename' | 'delete'; readonly space: Teamspace } | null;

/** The Teamspaces of a Team that the person sees. */
export default function Teamspaces() {
  const { messages, number } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const team = useTeam();
  const may = useMay()('teamspaces.manage');
  const spaces = useTeamspaces();
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
        {may && spaces.data?.pages[0]?.records.length ? makeButton : null}
      </PageHeader>
      <QueryView query={spaces}>
        {({ pages }) =>
          pages[0]?.records.length === 0 ? (
            <ViewState icon={<TeamspaceIcon />} title={messages.empty} text={may ? messages.emptyText : messages.emptyOthers}>
              {may ? makeButton : null}
            </ViewState>
          ) : (
            <section className="panel">
              <KeysetList
                label={messages.list}
                items={pages.flatMap(({ records }) => records)}
                keyOf={({ id }) => id}
                rowHeight={64}
                {...(spaces.hasNextPage && {
                  more: { loading: spaces.isFetchingNextPage, load: () => void spaces.fetchNextPage() },
                })}
                row={(space) => (
                  <div className="row">
                    <div className="row-main">
                      <a className="row-name" dir="auto" href={`/t/${team.id}/teamspaces/${space.id}`}>
                        {space.name}
                      </a>
                      <span className="row-facts">{messages.people(number(space.members.length), space.members.length === 1)}</span>
                    </div>
                    {may ? (
                      <MenuButton label={shell.moreFor(space.name)}>
                        <MenuItem label={messages.rename} onChoose={() => setOpen({ action: 'rename', space })} />
                        <MenuItem label={messages.delete} onChoose={() => setOpen({ action: 'delete', space })} />
                      </MenuButton>
                    ) : null}
                  </div>
                )}
              />
            </section>
          )
        }
      </QueryView>
      {open?.action === 'make' ? <NameDialog space={null} onClose={close} /> : null}
      {open?.action === 'rename' ? <NameDialog space={open.space} onClose={close} /> : null}
      {open?.action === 'delete' ? <DeleteDialog space={open.space} onClose={close} /> : null}
    </div>
  );
}
