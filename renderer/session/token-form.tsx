import { useState } from 'react';
import { TextField } from '#ui/field.tsx';
import { FullPage } from '../app/full-page.tsx';
import { useLocale } from '../messages/locale.ts';

/** Asks for the token of an agent that listens beyond its own machine. */
export function TokenForm({ rejected, onToken }: { rejected: boolean; onToken: (token: string) => void }) {
  const { token: messages } = useLocale().messages.session;
  const [value, setValue] = useState('');
  return (
    <FullPage title={messages.title}>
      <p>{messages.text}</p>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (value.trim()) onToken(value.trim());
        }}
      >
        <TextField
          label={messages.label}
          type="password"
          autoComplete="off"
          required
          autoFocus
          value={value}
          onChange={(event) => setValue(event.target.value)}
          hint={messages.hint}
          error={rejected ? messages.rejected : null}
        />
        <button type="submit" className="button button-primary">
          {messages.go}
        </button>
      </form>
    </FullPage>
  );
}
