import { type FormEvent, useId, useState } from 'react';
import type { PortalCover } from '#protocol/hosted/portals.ts';
import { TextField } from '#ui/field.tsx';
import { useFormat } from '../../messages/portal.ts';
import { PortalHead } from '../../sending/view/portal-head.tsx';
import './code-form.css';

interface CodeFormProps {
  /** Null where the service does not say whose page it is. */
  readonly cover: PortalCover | null;
  readonly problem: string;
  readonly onCode: (code: string) => Promise<void>;
}

/** Asks for a Portal's access code. It can be shown, since codes are often read from paper. */
export function CodeForm({ cover, problem, onCode }: CodeFormProps) {
  const { messages } = useFormat();
  const [code, setCode] = useState('');
  const [shown, setShown] = useState(false);
  const [busy, setBusy] = useState(false);
  const showId = useId();
  const Title = cover ? 'h2' : 'h1';
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    await onCode(code);
    setBusy(false);
  };
  return (
    <section className="card portal-note">
      {cover ? <PortalHead cover={cover} /> : null}
      <Title>{messages.code.title}</Title>
      <p>{messages.code.text}</p>
      <form className="form" onSubmit={submit}>
        <TextField
          label={messages.code.label}
          error={problem}
          type={shown ? 'text' : 'password'}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          maxLength={1_024}
          autoFocus
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
        <div className="code-show">
          <input id={showId} type="checkbox" checked={shown} onChange={(event) => setShown(event.target.checked)} />
          <label htmlFor={showId}>{messages.code.show}</label>
        </div>
        <button type="submit" className="button button-primary" disabled={busy}>
          {busy ? messages.code.opening : messages.code.open}
        </button>
        <p className="visually-hidden" role="alert">
          {problem}
        </p>
      </form>
    </section>
  );
}
