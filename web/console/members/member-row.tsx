import type { Member } from '#protocol/hosted/members.ts';
import { unsetDateTime } from '#protocol/unset-date-time.ts';
import { initials } from '#ui/initials.ts';
import { MenuItem } from '#ui/menu.tsx';
import { de } from '../../messages/de/console/members.ts';
import { en } from '../../messages/en/console/members.ts';
import { useAccount, useMay } from '../app/account.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { MenuButton } from '../ui/menu-button.tsx';

export type MemberAction = 'role' | 'remove' | 'resend';

interface MemberRowProps {
  readonly member: Member;
  readonly onAct: (action: MemberAction) => void;
}

/** One member, or somebody invited, with what the person who looks may do about them. */
export function MemberRow({ member, onAct }: MemberRowProps) {
  const { messages, day, moment, exactly } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const { user } = useAccount();
  const may = useMay();
  const { state, expires_at: until, last_seen_at: seen } = member;
  const mayManage = may('members.manage') && (member.role !== 'owner' || may('owners.manage'));
  const isOver = until !== undefined && new Date(until) <= new Date();
  return (
    <div className="row member-row">
      <div className="with-badge">
        <span className="badge badge-round" aria-hidden="true">
          {initials(member.name)}
        </span>
        <div className="row-main">
          <span className="row-name" dir="auto">
            {member.name}
            {member.user_id === user.id ? <span className="optional"> ({messages.you})</span> : null}
          </span>
          <span className="row-facts">
            <span>{member.email}</span>
            {member.teamspaces.length > 0 ? (
              <span dir="auto">{messages.inSpaces(member.teamspaces.map(({ name }) => name).join(', '))}</span>
            ) : null}
            {seen !== undefined ? (
              <span title={seen === unsetDateTime ? undefined : exactly(seen)}>
                {seen === unsetDateTime ? messages.neverSeen : messages.seen(moment(seen))}
              </span>
            ) : null}
            {state === 'invited' && until !== undefined && !isOver ? <span>{messages.invitedUntil(day(until))}</span> : null}
          </span>
        </div>
      </div>
      <div className="row-acts">
        <span className="member-tags">
          {state === 'invited' ? (
            <span className={`pill ${isOver ? 'pill-bad' : 'pill-warn'}`}>{isOver ? messages.overdue : messages.invited}</span>
          ) : null}
          {member.mfa ? (
            <span className="pill pill-good" title={messages.mfaHint}>
              {messages.mfa}
            </span>
          ) : null}
          <span className="pill">{shell.roles[member.role]}</span>
        </span>
        {mayManage ? (
          <MenuButton label={shell.moreFor(member.name)}>
            <MenuItem label={messages.changeRole} onChoose={() => onAct('role')} />
            {state === 'invited' ? <MenuItem label={messages.resend} onChoose={() => onAct('resend')} /> : null}
            <MenuItem label={state === 'invited' ? messages.revoke : messages.remove} onChoose={() => onAct('remove')} />
          </MenuButton>
        ) : null}
      </div>
    </div>
  );
}
