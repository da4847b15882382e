import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { Member } from '#protocol/hosted/members.ts';
import type { Role } from '#protocol/roles.ts';
import { DownloadIcon, MembersIcon, PlusIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/members.ts';
import { en } from '../../messages/en/console/members.ts';
import { useMay, useTeam } from '../app/account.ts';
import { changeQuery, useAddress } from '../app/address.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useTexts } from '../app/texts.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { KeysetList } from '../ui/keyset-list.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { useSaveAnswer } from '../ui/save-answer.ts';
import { useToast } from '../ui/toasts.tsx';
import { QueryView, ViewState } from '../ui/view-states.tsx';
import { type MemberFilters, memberCalls, membersKey, useMembers } from './calls.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { RemoveDialog, RoleDialog } from './member-dialogs.tsx';
import { Filters, filterNames } from './member-filters.tsx';
import { type MemberAction, MemberRow } from './member-row.tsx';
import '../ui/rows.css';
import './members.css';

type Open = { readonly action: 'invite' } | { readonly action: 'role' | 'remove'; readonly member: Member } | null;

/** Who is in a Team, and who is invited. */
export default function Members() {
  const { messages, number } = useTexts({ en, de });
  const team = useTeam();
  const may = useMay();
  const api = useApi(memberCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const fault = useFaultText();
  const save = useSaveAnswer();
  const { query: address } = useAddress();
  const [open, setOpen] = useState<Open>(null);
  const filters = filtersIn(address);
  const members = useMembers(team.id, filters);
  const isFiltered = Object.keys(filters).length > 0;

  const say = async (work: Promise<unknown>, done?: ReactElement): Promise<void> => {
    try {
      await work;
      if (done !== undefined) toast({ text: done });
    } catch (error) {
      toast({ tone: 'bad', text: fault(error) });
    }
  };
  const act = (member: Member, action: MemberAction): void => {
    if (action !== 'resend') {
      setOpen({ action, member });
      return;
    }
    const sent = api
      .call('resendInvitation', { params: { member_id: member.id } })
      .then(() => cache.invalidateQueries({ queryKey: membersKey(team.id) }));
    void say(
      sent,
      textIn({ en, de }, ({ messages }) => messages.resent(member.email)),
    );
  };

  return (
    <div className="view">
      <PageHeader title={messages.title} text={messages.text}>
        {may('members.manage') ? (
          <>
            <button type="button" className="button" onClick={() => void say(save(`/v1/teams/${team.id}/members/csv`, messages.csvName))}>
              <DownloadIcon /> {messages.csv}
            </button>
            <button type="button" className="button button-primary" onClick={() => setOpen({ action: 'invite' })}>
              <PlusIcon /> {messages.invite}
            </button>
          </>
        ) : null}
      </PageHeader>
      <Filters filters={filters} />
      <QueryView query={members}>
        {({ pages }) => {
          const people = pages.flatMap(({ records }) => records);
          const total = pages[0]?.metadata.total ?? 0;
          if (people.length === 0) {
            return (
              <ViewState icon={<MembersIcon />} title={messages.nobodyFound} text={messages.nobodyFoundText}>
                <button
                  type="button"
                  className="button"
                  onClick={() => changeQuery(Object.fromEntries(filterNames.map((name) => [name, ''])))}
                >
                  {messages.resetFilters}
                </button>
              </ViewState>
            );
          }
          return (
            <section className="panel">
              <p className="hint" role="status">
                {messages.count(number(total), total === 1)}
              </p>
              <KeysetList
                label={messages.list}
                items={people}
                keyOf={({ id }) => id}
                rowHeight={68}
                row={(member) => <MemberRow member={member} onAct={(action) => act(member, action)} />}
                {...(members.hasNextPage && {
                  more: { loading: members.isFetchingNextPage, load: () => void members.fetchNextPage() },
                })}
              />
              {total === 1 && !isFiltered && may('members.manage') ? (
                <ViewState icon={<MembersIcon />} title={messages.alone} text={messages.aloneText}>
                  <button type="button" className="button button-primary" onClick={() => setOpen({ action: 'invite' })}>
                    {messages.invite}
                  </button>
                </ViewState>
              ) : null}
            </section>
          );
        }}
      </QueryView>
      {open?.action === 'invite' ? <InviteDialog onClose={() => setOpen(null)} /> : null}
      {open?.action === 'role' ? <RoleDialog member={open.member} onClose={() => setOpen(null)} /> : null}
      {open?.action === 'remove' ? <RemoveDialog member={open.member} onClose={() => setOpen(null)} /> : null}
    </div>
  );
}

/** The filters that the address holds, so that a list can be bookmarked and shared. */
function filtersIn(query: URLSearchParams): MemberFilters {
  const [search, role, state, space] = filterNames.map((name) => query.get(name) ?? '');
  return {
    ...(search && { search }),
    ...(role && { role: role as Role }),
    ...((state === 'active' || state === 'invited') && { state }),
    ...(space && { space_id: space }),
  };
}
