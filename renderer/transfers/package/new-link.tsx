import { type FormEvent, useState } from 'react';
import type { SentPackage } from '#protocol/agent/sent-package.ts';
import { limits } from '#protocol/limits.ts';
import { TextField } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { useFaultText } from '../../messages/fault-text.tsx';
import { useFormat } from '../../messages/format.ts';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import type { useSentPackageActions } from './queries.ts';
import { useSentPackageTexts } from './texts.ts';

interface NewLinkProps {
  readonly sent: SentPackage;
  readonly action: ReturnType<typeof useSentPackageActions>['addLink'];
  readonly onClose: () => void;
  /** @param mailedTo the address that the link goes to; empty where nobody is mailed */
  readonly onDone: (mailedTo: string) => void;
}

/** One more link to a sent package: for a recipient, or for anyone; with a password, or with that of the package. */
export function NewLink({ sent, action, onClose, onDone }: NewLinkProps) {
  const { messages, number } = useFormat();
  const fault = useFaultText();
  const { links: texts } = useSentPackageTexts();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [limit, setLimit] = useState('');
  const [mail, setMail] = useState(true);
  const [verify, setVerify] = useState(sent.verify_recipient ?? false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const mailedTo = sent.can_mail && mail ? email.trim() : '';
    const body = {
      ...(email.trim() ? { email: email.trim() } : {}),
      ...(password ? { password } : {}),
      ...(limit.trim() ? { access_limit: Number(limit) } : {}),
      // Left out where it is as usual: so a Team that always asks refuses nobody who has touched nothing.
      ...(email.trim() && verify !== (sent.verify_recipient ?? false) ? { verify_recipient: verify } : {}),
      ...(mailedTo ? { mail: true } : {}),
    };
    action.mutate(body, { onSuccess: () => onDone(mailedTo) });
  };
  return (
    <Dialog title={texts.addTitle} onClose={onClose} filled={false} small>
      <form className="form" onSubmit={submit}>
        {action.error ? <Notice tone="bad">{fault(action.error)}</Notice> : null}
        <TextField
          label={texts.email}
          aside={messages.send.form.optional}
          type="email"
          autoComplete="off"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          hint={sent.can_mail ? undefined : texts.emailHint}
        />
        {sent.can_mail ? (
          <label className="check">
            <input type="checkbox" checked={mail} disabled={email.trim() === ''} onChange={(event) => setMail(event.target.checked)} />
            <span>{texts.mailIt}</span>
          </label>
        ) : null}
        {sent.verify_recipient === undefined ? null : (
          <label className="check">
            <input
              type="checkbox"
              checked={verify && email.trim() !== ''}
              disabled={email.trim() === ''}
              onChange={(event) => setVerify(event.target.checked)}
            />
            <span>{texts.verify}</span>
          </label>
        )}
        <TextField
          label={messages.send.password}
          aside={messages.send.form.optional}
          type="password"
          autoComplete="new-password"
          minLength={limits.passwordLength.min}
          maxLength={limits.passwordLength.max}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          hint={sent.has_password && !password ? texts.samePassword : messages.send.passwordHint(number(limits.passwordLength.min))}
        />
        <TextField
          label={messages.send.limit}
          aside={messages.send.form.optional}
          type="number"
          min={1}
          max={1_000_000}
          step={1}
          value={limit}
          onChange={(event) => setLimit(event.target.value)}
        />
        <div className="dialog-actions">
          <CancelButton />
          <button type="submit" className="button button-primary" disabled={action.isPending}>
            {texts.make}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
