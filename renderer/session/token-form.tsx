import { useState } from 'react';
import { FullPage } from '../app/full-page.tsx';
import { TextField } from '../ui/field.tsx';
import { useTongue } from '../words/words.ts';

/** Asks for the token of an agent that listens beyond its own machine. */
export function TokenForm({ rejected, onToken }: { rejected: boolean; onToken: (token: string) => void }) {
  const { token: words } = useTongue().words.session;
  const [value, setValue] = useState('');
  return (
    <FullPage title={words.title}>
      <p>{words.text}</p>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (value.trim()) onToken(value.trim());
        }}
      >
        <TextField
          label={words.label}
          type="password"
          autoComplete="off"
          required
          autoFocus
          value={value}
          onChange={(event) => setValue(event.target.value)}
          hint={words.hint}
          error={rejected ? words.rejected : null}
        />
        <button type="submit" className="button button-primary">
          {words.go}
        </button>
      </form>
    </FullPage>
  );
}
