import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Member } from '#protocol/hosted/members.ts';
import { de } from '../../messages/de/console/members.ts';
import { en } from '../../messages/en/console/members.ts';
import { accountKey, useAccount, useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { ConfirmDialog, FormDialog } from '../ui/form-dialog.tsx';
import { useToast } from '../ui/toasts.tsx';
import { memberCalls, membersKey } from './calls.ts';
import { RoleField } from './role-field.tsx';

interface MemberDialogProps {
  readonly member: Member;
  readonly onClose: () => void;
}

/** Loads the list again, and what the person may do where the change is about themselves. */
function useChanged(): (member: Member) => Promise<void> {
  const cache = useQueryClient();
  const team = useTeam();
  const { user } = useAccount();
  return async (member) => {
    await cache.invalidateQueries({ queryKey: membersKey(team.id) });
    if (member.user_id === user.id) await cache.invalidateQueries({ queryKey: accountKey });
  };
}

export function RoleDialog({ member, onClose }: MemberDialogProps) {
  const { messages } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const api = useApi(memberCalls);
  const changed = useChanged();
  const toast = useToast();
  const [role, setRole] = useState(member.role);
  const save = async () => {
    await api.call('updateMember', { params: { member_id: member.id }, body: { role } });
    toast({ text: textIn({ en, de }, ({ messages }, shell) => messages.roleChanged(member.name, shell.roles[role])) });
    await changed(member);
  };
  return (
    <FormDialog title={messages.roleOf(member.name)} submit={shell.save} onSubmit={save} onClose={onClose}>
      <RoleField value={role} onChange={setRole} />
    </FormDialog>
  );
}

/** Says what it means before somebody is removed, or an invitation revoked. */
export function RemoveDialog({ member, onClose }: MemberDialogProps) {
  const { messages } = useTexts({ en, de });
  const { user } = useAccount();
  const api = useApi(memberCalls);
  const changed = useChanged();
  const toast = useToast();
  const isInvited = member.state === 'invited';
  const remove = async () => {
    await api.call('removeMember', { params: { member_id: member.id } });
    toast({ text: textIn({ en, de }, ({ messages }) => (isInvited ? messages.revoked(member.email) : messages.removed(member.name))) });
    await changed(member);
  };
  return (
    <ConfirmDialog
      title={isInvited ? messages.revokeTitle(member.email) : messages.removeTitle(member.name)}
      submit={isInvited ? messages.revoke : messages.remove}
      onSubmit={remove}
      onClose={onClose}
    >
      {isInvited ? (
        <p>{messages.revokeText}</p>
      ) : (
        <>
          <p>{messages.removeText}</p>
          <p>{messages.removeKeys}</p>
          <p>{messages.removeKeep}</p>
          {member.user_id === user.id ? <p className="field-error">{messages.removeYou}</p> : null}
        </>
      )}
    </ConfirmDialog>
  );
}
