import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { ServiceError } from '#client/errors.ts';
import { TextField } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/profile.ts';
import { en } from '../../messages/en/console/profile.ts';
import { useAccount } from '../app/account.ts';
import { textIn } from '../app/text-in.ts';
import { useTexts } from '../app/texts.ts';
import { useSecondFactor } from '../security/use-second-factor.tsx';
import { useFaultText } from '../ui/fault-text.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useToast } from '../ui/toasts.tsx';
import { emailKey, useProfileActions } from './actions.ts';

export function Email() {
  const { messages } = useTexts({ en, de });
  const text = messages.email;
  const { user } = useAccount();
  const [open, setOpen] = useState(false);
  return (
    <section className="panel">
      <h2>{text.title}</h2>
      <p>
        <strong>{user.email}</strong>
      </p>
      <p className="hint">{text.text}</p>
      <Pending />
      <button type="button" className="button" onClick={() => setOpen(true)}>
        {text.change}
      </button>
      {open ? <EmailDialog onClose={() => setOpen(false)} /> : null}
    </section>
  );
}

/** The address that waits for its confirmation, where there is one. */
function Pending() {
  const { messages, moment } = useTexts({ en, de });
  const text = messages.email;
  const { email, resendEmailChange, cancelEmailChange } = useProfileActions();
  const toast = useToast();
  const fault = useFaultText();
  const [busy, setBusy] = useState(false);
  const { data } = useQuery({ queryKey: emailKey, queryFn: ({ signal }) => email(signal) });
  const pending = data?.pending;
  if (!pending) return null;
  const act = async (work: () => Promise<void>, done: ReactElement): Promise<void> => {
    setBusy(true);
    try {
      await work();
      toast({ text: done });
    } catch (error) {
      toast({ text: fault(error), tone: 'bad' });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Notice tone="warn">
      <p className="email-pending">{text.pending(pending.email)}</p>
      <p className="hint">{text.pendingHint(moment(pending.expires_at))}</p>
      <div className="email-acts">
        <button
          type="button"
          className="button button-small"
          disabled={busy}
          onClick={() =>
            void act(
              resendEmailChange,
              textIn({ en, de }, ({ messages }) => messages.email.mailed(pending.email)),
            )
          }
        >
          {text.resend}
        </button>
        <button
          type="button"
          className="button button-small"
          disabled={busy}
          onClick={() =>
            void act(
              cancelEmailChange,
              textIn({ en, de }, ({ messages }) => messages.email.cancelled),
            )
          }
        >
          {text.cancel}
        </button>
      </div>
    </Notice>
  );
}

function EmailDialog({ onClose }: { readonly onClose: () => void }) {
  const { messages } = useTexts({ en, de });
  const text = messages.email;
  const actions = useProfileActions();
  const second = useSecondFactor();
  const toast = useToast();
  const [email, setEmail] = useState('');
  const [again, setAgain] = useState('');
  const [password, setPassword] = useState('');
  const [taken, setTaken] = useState<string | null>(null);
  const [checked, setChecked] = useState(false);
  const isWrong = !/^\S+@\S+$/.test(email.trim());
  const differs = email.trim() !== again.trim();
  const emailError = taken === email ? text.taken : checked && isWrong ? text.wrong : null;
  const change = async (): Promise<boolean> => {
    setChecked(true);
    if (isWrong || differs) return false;
    try {
      if (!(await second.prove((factor) => actions.changeEmail(email.trim(), password, factor)))) return false;
    } catch (error) {
      if (!(error instanceof ServiceError && error.error === 'already_exists')) throw error;
      setTaken(email);
      return false;
    }
    toast({ text: textIn({ en, de }, ({ messages }) => messages.email.mailed(email.trim())) });
    return true;
  };
  return (
    <FormDialog title={text.change} submit={text.change} onClose={onClose} onSubmit={change}>
      <TextField
        label={text.email}
        type="email"
        autoComplete="off"
        value={email}
        error={emailError}
        onChange={(event) => setEmail(event.target.value)}
      />
      <TextField
        label={text.repeat}
        type="email"
        autoComplete="off"
        value={again}
        error={checked && differs ? text.differs : null}
        onChange={(event) => setAgain(event.target.value)}
      />
      <TextField
        label={text.password}
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {second.field}
      <Notice tone="plain">{text.warning}</Notice>
    </FormDialog>
  );
}
