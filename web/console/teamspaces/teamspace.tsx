import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Member } from '#protocol/hosted/members.ts';
import type { Teamspace as TeamspaceRecord } from '#protocol/hosted/teamspaces.ts';
import { CloseIcon, MembersIcon, PlusIcon } from '#ui/icons.tsx';
import { MenuItem } from '#ui/menu.tsx';
import { de } from '../../messages/de/console/teamspaces.ts';
import { en } from '../../messages/en/console/teamspaces.ts';
import { useMay, useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import type { ViewProps } from '../app/view-props.ts';
import { membersKey, useMembers } from '../members/calls.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { KeysetList } from '../ui/keyset-list.tsx';
import { MenuButton } from '../ui/menu-button.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { useToast } from '../ui/toasts.tsx';
import { QueryView, ViewState } from '../ui/view-states.tsx';
import { AddMembersDialog } from './add-members-dialog.tsx';
import { teamspaceCalls, teamspacesKey } from './calls.ts';
import { DeleteDialog, NameDialog } from './teamspace-dialogs.tsx';
import '../ui/rows.css';

/** One Teamspace with its members. */
export default function Teamspace({ params }: ViewProps) {
  const team = useTeam();
  const api = useApi(teamspaceCalls);
  const spaceId = params['space_id']!;
  const space = useQuery({
    queryKey: [...teamspacesKey(team.id), spaceId],
    queryFn: ({ signal }) => api.call('getTeamspace', { params: { space_id: spaceId }, signal }),
  });
  return <QueryView query={space}>{(found) => <Shown space={found} />}</QueryView>;
}

function Shown({ space }: { readonly space: TeamspaceRecord }) {
  const { messages, number } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const team = useTeam();
  const may = useMay()('teamspaces.manage');
  const members = useMembers(team.id, { space_id: space.id });
  const takeOut = useTakeOut(space);
  const [open, setOpen] = useState<'add' | 'rename' | 'delete' | null>(null);
  const close = () => setOpen(null);
  return (
    <div className="view">
      <PageHeader
        title={space.name}
        text={messages.people(number(space.members.length), space.members.length === 1)}
        back={{ href: `/t/${team.id}/teamspaces`, label: messages.back }}
      >
        {may ? (
          <>
            <button type="button" className="button button-primary" onClick={() => setOpen('add')}>
              <PlusIcon /> {messages.add}
            </button>
            <MenuButton label={shell.moreFor(space.name)} className="button button-icon">
              <MenuItem label={messages.rename} onChoose={() => setOpen('rename')} />
              <MenuItem label={messages.delete} onChoose={() => setOpen('delete')} />
            </MenuButton>
          </>
        ) : null}
      </PageHeader>
      <QueryView query={members}>
        {({ pages }) => {
          const people = pages.flatMap(({ records }) => records);
          if (people.length === 0) return <ViewState icon={<MembersIcon />} title={messages.nobody} text={messages.nobodyText} />;
          return (
            <section className="panel">
              <KeysetList
                label={messages.members}
                items={people}
                keyOf={({ id }) => id}
                rowHeight={64}
                row={(member) => (
                  <div className="row">
                    <div className="row-main">
                      <span className="row-name" dir="auto">
                        {member.name}
                      </span>
                      <span className="row-facts">
                        <span>{member.email}</span>
                        <span>{shell.roles[member.role]}</span>
                      </span>
                    </div>
                    {may ? (
                      <button
                        type="button"
                        className="button button-quiet button-icon"
                        aria-label={messages.takeOutFor(member.name)}
                        title={messages.takeOut}
                        onClick={() => void takeOut(member)}
                      >
                        <CloseIcon />
                      </button>
                    ) : null}
                  </div>
                )}
                {...(members.hasNextPage && {
                  more: { loading: members.isFetchingNextPage, load: () => void members.fetchNextPage() },
                })}
              />
            </section>
          );
        }}
      </QueryView>
      {open === 'add' ? <AddMembersDialog space={space} onClose={close} /> : null}
      {open === 'rename' ? <NameDialog space={space} onClose={close} /> : null}
      {open === 'delete' ? <DeleteDialog space={space} onClose={close} /> : null}
    </div>
  );
}

/** Takes somebody out at once, and offers to put them back. */
function useTakeOut(space: TeamspaceRecord): (member: Member) => Promise<void> {
  const team = useTeam();
  const api = useApi(teamspaceCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const fault = useFaultText();
  const changed = async (): Promise<void> => {
    await cache.invalidateQueries({ queryKey: teamspacesKey(team.id) });
    await cache.invalidateQueries({ queryKey: membersKey(team.id) });
  };
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      toast({ tone: 'bad', text: fault(error) });
    }
    await changed();
  };
  return async (member) => {
    const membership = space.members.find(({ user_id }) => user_id === member.user_id);
    if (!membership) return await changed();
    await attempt(async () => {
      await api.call('removeTeamspaceMember', { params: { space_id: space.id, teamspace_membership_id: membership.id } });
      const undo = () =>
        void attempt(() => api.call('addTeamspaceMembers', { params: { space_id: space.id }, body: { member_ids: [member.id] } }));
      toast({ text: textIn({ en, de }, ({ messages }) => messages.takenOut(member.name)), undo });
    });
  };
}
