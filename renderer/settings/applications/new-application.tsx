import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { type NewToken, type TokenScope, tokenScopes } from '#protocol/agent/tokens.ts';
import { limits } from '#protocol/limits.ts';
import { SelectField, TextField } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { useFaultText } from '../../messages/fault-text.tsx';
import { useFormat } from '../../messages/format.ts';
import { useLocale } from '../../messages/locale.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { useCreateToken } from './queries.ts';
import { endAfter } from './token-times.ts';

/** Days until a token expires; 0 for never. */
const lifetimes = [0, 30, 90, 365] as const;

/** Creates a token and shows it only once. */
export function NewApplication({ onDone }: { onDone: () => void }) {
  const { messages, number } = useFormat();
  const { applications: texts } = messages.settings;
  const fault = useFaultText();
  const id = useId();
  const create = useCreateToken();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly TokenScope[]>(['transfer']);
  const [lifetime, setLifetime] = useState(0);
  if (create.data) return <Made token={create.data} onDone={onDone} />;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const end = endAfter(lifetime, new Date());
    create.mutate({ name: name.trim(), scopes: [...scopes], ...(end === undefined ? {} : { expires_at: end }) });
  };
  return (
    <form className="form" onSubmit={submit}>
      {create.error ? <Notice tone="bad">{fault(create.error)}</Notice> : null}
      <TextField
        label={texts.name}
        hint={texts.nameHint}
        required
        autoFocus
        autoComplete="off"
        maxLength={limits.nameLength}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <fieldset className="field options">
        <legend>{texts.may}</legend>
        {tokenScopes.map((scope) => (
          <label key={scope} className="check">
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              aria-describedby={`${id}-${scope}`}
              onChange={({ target }) => setScopes(tokenScopes.filter((one) => (one === scope ? target.checked : scopes.includes(one))))}
            />
            <span id={`${id}-${scope}`}>{texts.scopes[scope]}</span>
          </label>
        ))}
      </fieldset>
      <SelectField label={texts.ends} value={String(lifetime)} onChange={(event) => setLifetime(Number(event.target.value))}>
        {lifetimes.map((one) => (
          <option key={one} value={one}>
            {one === 0 ? texts.never : texts.after(number(one))}
          </option>
        ))}
      </SelectField>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onDone}>
          {messages.app.cancel}
        </button>
        <button type="submit" className="button button-primary" disabled={create.isPending || scopes.length === 0 || name.trim() === ''}>
          {create.isPending ? texts.making : texts.make}
        </button>
      </div>
    </form>
  );
}

/** The focus moves to the new token, which replaces the form. */
function Made({ token: { token, name }, onDone }: { token: NewToken; onDone: () => void }) {
  const { applications: texts } = useLocale().messages.settings;
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <section ref={box} className="new-token" tabIndex={-1} aria-label={name}>
      <Notice tone="plain">{texts.shown}</Notice>
      <p className="mono" dir="ltr">
        {token}
      </p>
      <div className="new-token-acts">
        <CopyButton text={token} label={texts.copy} about={name} />
        <button type="button" className="button button-small" onClick={onDone}>
          {texts.done}
        </button>
      </div>
    </section>
  );
}
