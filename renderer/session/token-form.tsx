import { useState } from 'react';
import { FullPage } from '../app/full-page.tsx';
import { TextField } from '../ui/field.tsx';

/** Asks for the token of an agent that listens beyond its own machine. */
export function TokenForm({ rejected, onToken }: { rejected: boolean; onToken: (token: string) => void }) {
  const [value, setValue] = useState('');
  return (
    <FullPage title="This agent needs its token">
      <p>It can be reached from other machines, so it asks every visitor for the token that was made at its first start.</p>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (value.trim()) onToken(value.trim());
        }}
      >
        <TextField
          label="Agent token"
          type="password"
          autoComplete="off"
          required
          autoFocus
          value={value}
          onChange={(event) => setValue(event.target.value)}
          hint="It stands in the agent’s data folder. This tab keeps it until you close it."
          error={rejected ? 'The agent did not accept the token.' : null}
        />
        <button type="submit" className="button button-primary">
          Continue
        </button>
      </form>
    </FullPage>
  );
}
