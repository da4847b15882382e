import { useId, useState } from 'react';
import { limits } from '#protocol/limits.ts';
import { TextField } from '#ui/field.tsx';
import { useLocale } from '../messages/account.ts';

interface PasswordFieldProps {
  readonly label: string;
  /** A new password, with its minimum length shown, or the current one. */
  readonly kind: 'new' | 'current';
  readonly value: string;
  readonly problem: string | null;
  readonly onChange: (value: string) => void;
}

/** A password field with a button that shows the password, instead of typing it twice. */
export function PasswordField({ label, kind, value, problem, onChange }: PasswordFieldProps) {
  const { messages, tag } = useLocale();
  const [shown, setShown] = useState(false);
  const id = useId();
  const { min, max } = limits.passwordLength;
  return (
    <>
      <TextField
        label={label}
        error={problem}
        hint={kind === 'new' && problem === null ? messages.fields.atLeast(new Intl.NumberFormat(tag).format(min)) : undefined}
        type={shown ? 'text' : 'password'}
        name="password"
        autoComplete={kind === 'new' ? 'new-password' : 'current-password'}
        spellCheck={false}
        autoCapitalize="none"
        required
        maxLength={max}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <div className="account-show">
        <input id={id} type="checkbox" checked={shown} onChange={(event) => setShown(event.target.checked)} />
        <label htmlFor={id}>{messages.fields.show}</label>
      </div>
    </>
  );
}
