import { useState } from 'react';
import { limits } from '#protocol/limits.ts';
import { TextField } from '#ui/field.tsx';
import { de } from '../../messages/de/console/profile.ts';
import { en } from '../../messages/en/console/profile.ts';
import { textIn } from '../app/text-in.ts';
import { useTexts } from '../app/texts.ts';
import { useSecondFactor } from '../security/use-second-factor.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useToast } from '../ui/toasts.tsx';
import { useProfileActions } from './actions.ts';

export function Password() {
  const { messages } = useTexts({ en, de });
  const text = messages.password;
  const [open, setOpen] = useState(false);
  return (
    <section className="panel">
      <h2>{text.title}</h2>
      <p className="hint">{text.text}</p>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        {text.change}
      </button>
      {open ? <PasswordDialog onClose={() => setOpen(false)} /> : null}
    </section>
  );
}

function PasswordDialog({ onClose }: { readonly onClose: () => void }) {
  const { messages, number } = useTexts({ en, de });
  const text = messages.password;
  const actions = useProfileActions();
  const second = useSecondFactor();
  const toast = useToast();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [checked, setChecked] = useState(false);
  const { min } = limits.passwordLength;
  const isShort = password.length < min;
  return (
    <FormDialog
      title={text.change}
      submit={text.change}
      onClose={onClose}
      onSubmit={async () => {
        setChecked(true);
        if (isShort) return false;
        if (!(await second.prove((factor) => actions.changePassword(current, password, factor)))) return false;
        toast({ text: textIn({ en, de }, ({ messages }) => messages.password.done) });
        return true;
      }}
    >
      <TextField
        label={text.current}
        type="password"
        autoComplete="current-password"
        value={current}
        onChange={(event) => setCurrent(event.target.value)}
      />
      <TextField
        label={text.password}
        hint={text.atLeast(number(min))}
        type="password"
        autoComplete="new-password"
        value={password}
        error={checked && isShort ? text.tooShort(number(min)) : null}
        onChange={(event) => setPassword(event.target.value)}
      />
      {second.field}
      <p className="hint">
        <a href="/password">{text.forgot}</a>
      </p>
    </FormDialog>
  );
}
