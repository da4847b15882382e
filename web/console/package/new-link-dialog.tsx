import { useState } from 'react';
import type { Package } from '#protocol/hosted/packages.ts';
import { CheckField, TextField } from '#ui/field.tsx';
import { de } from '../../messages/de/console/package.ts';
import { en } from '../../messages/en/console/package.ts';
import { useTeam } from '../app/account.ts';
import { textIn } from '../app/text-in.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { endOfDay } from '../packages/actions.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { NoMailNotice } from '../ui/no-mail-notice.tsx';
import { useToast } from '../ui/toasts.tsx';
import { useLinkActions } from './link-actions.ts';

/** Makes a link, and mails it where it is for an address. */
export function NewLinkDialog({ one, onClose }: { readonly one: Package; readonly onClose: () => void }) {
  const { messages } = useTexts({ en, de });
  const { optional } = useShellTexts().messages;
  const text = messages.links;
  const actions = useLinkActions(one);
  const toast = useToast();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [limit, setLimit] = useState('');
  const [day, setDay] = useState('');
  const [alsoMail, setAlsoMail] = useState(true);
  const [verify, setVerify] = useState(one.verify_recipient ?? false);
  const { verify_recipient_required: always = false } = useTeam();
  const [checked, setChecked] = useState(false);
  const isLimitWrong = limit !== '' && !/^[1-9]\d{0,5}$/.test(limit);
  const isDayWrong = day !== '' && !(new Date(`${day}T23:59:59`).getTime() > Date.now());
  return (
    <FormDialog
      title={text.add}
      submit={text.add}
      onClose={onClose}
      onSubmit={async () => {
        setChecked(true);
        if (isLimitWrong || isDayWrong) return false;
        const link = {
          email: email.trim(),
          ...(password === '' ? {} : { password }),
          ...(limit === '' ? {} : { access_limit: Number(limit) }),
          ...(email.trim() === '' || always ? {} : { verify_recipient: verify }),
          ...(day === '' ? {} : { expiry: endOfDay(day) }),
        };
        await actions.add(link, alsoMail && one.state === 'finalized');
        toast({ text: textIn({ en, de }, ({ messages }) => messages.links.added) });
        return true;
      }}
    >
      <TextField
        label={text.email}
        aside={optional}
        hint={text.emailHint}
        type="email"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <TextField
        label={text.newPassword}
        aside={optional}
        type="password"
        autoComplete="new-password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <TextField
        label={text.newLimit}
        aside={optional}
        inputMode="numeric"
        value={limit}
        error={checked && isLimitWrong ? text.wrongLimit : null}
        onChange={(event) => setLimit(event.target.value)}
      />
      <TextField
        label={text.newUntil}
        aside={optional}
        type="date"
        value={day}
        error={checked && isDayWrong ? text.wrongDay : null}
        onChange={(event) => setDay(event.target.value)}
      />
      {email.trim() === '' ? null : (
        <CheckField
          label={text.verify}
          hint={always ? text.verifyAlways : undefined}
          checked={always || verify}
          disabled={always}
          onChange={(event) => setVerify(event.target.checked)}
        />
      )}
      {email.trim() === '' || one.state !== 'finalized' ? null : (
        <CheckField label={text.alsoMail} checked={alsoMail} onChange={(event) => setAlsoMail(event.target.checked)} />
      )}
      {email.trim() !== '' && alsoMail ? <NoMailNotice /> : null}
    </FormDialog>
  );
}
