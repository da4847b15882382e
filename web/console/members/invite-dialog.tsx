import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ServiceError } from '#client/errors.ts';
import type { Role } from '#protocol/roles.ts';
import { TextAreaField } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/members.ts';
import { en } from '../../messages/en/console/members.ts';
import { useAccount, useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useTexts } from '../app/texts.ts';
import { addressesIn } from '../ui/addresses.ts';
import { useFaultSentence } from '../ui/fault-text.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { NoMailNotice } from '../ui/no-mail-notice.tsx';
import { useToast } from '../ui/toasts.tsx';
import { memberCalls, membersKey } from './calls.ts';
import { RoleField } from './role-field.tsx';

interface Failure {
  readonly email: string;
  readonly why: string;
}

/** Invites one or many people. Addresses that could not be invited stay in the field, each with its reason. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const { messages, number } = useTexts({ en, de });
  const team = useTeam();
  const { sends_mail: sendsMail } = useAccount();
  const api = useApi(memberCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const fault = useFaultSentence();
  const [text, setText] = useState('');
  const [role, setRole] = useState<Role>('member');
  const [error, setError] = useState<string | null>(null);
  const [failures, setFailures] = useState<{ readonly sent: number; readonly list: readonly Failure[] } | null>(null);
  const [progress, setProgress] = useState<{ readonly done: number; readonly all: number } | null>(null);
  const { good, bad } = addressesIn(text);

  const send = async (): Promise<boolean> => {
    setFailures(null);
    setError(null);
    if (good.length === 0 || bad.length > 0) {
      setError(bad.length > 0 ? messages.badAddress(bad.join(', ')) : messages.noAddress);
      return false;
    }
    const list: Failure[] = [];
    for (const [index, email] of good.entries()) {
      if (good.length > 1) setProgress({ done: index, all: good.length });
      try {
        await api.call('addMember', { params: { team_id: team.id }, body: { email, role } });
      } catch (thrown) {
        // What is wrong with one address says nothing of the others.
        list.push({ email, why: fault(thrown) });
        if (!(thrown instanceof ServiceError) || !['already_exists', 'invalid_request'].includes(thrown.error)) {
          list.push(...good.slice(index + 1).map((other) => ({ email: other, why: fault(thrown) })));
          break;
        }
      }
    }
    setProgress(null);
    await cache.invalidateQueries({ queryKey: membersKey(team.id) });
    const sent = good.length - list.length;
    if (list.length === 0) {
      const said = sendsMail === false ? 'keptAll' : 'sentAll';
      toast({ text: textIn({ en, de }, ({ messages, number }) => messages[said](number(sent), sent === 1)) });
      return true;
    }
    setFailures({ sent, list });
    setText(list.map(({ email }) => email).join('\n'));
    return false;
  };

  const submit = good.length === 0 ? messages.sendNone : messages.send(number(good.length), good.length === 1);
  return (
    <FormDialog title={messages.inviteTitle} submit={submit} onSubmit={send} onClose={onClose}>
      <NoMailNotice />
      <TextAreaField
        label={messages.addresses}
        hint={messages.addressesHint}
        error={error}
        value={text}
        rows={4}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
      />
      <RoleField value={role} onChange={setRole} />
      {progress ? <Notice tone="plain">{messages.sending(number(progress.done), number(progress.all))}</Notice> : null}
      {failures ? (
        <Notice tone="warn">
          <p>{messages.someFailed(number(failures.sent))}</p>
          <ul className="failure-list">
            {failures.list.map(({ email, why }) => (
              <li key={email}>
                <strong>{email}</strong>: {why}
              </li>
            ))}
          </ul>
        </Notice>
      ) : null}
    </FormDialog>
  );
}
