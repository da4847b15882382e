import { useState } from 'react';
import { useTongue } from '../words/account.ts';
import { faultWords } from './faults.ts';
import { Note } from './note.tsx';
import { usePlace } from './place.ts';

/** Another person chose this account's password: the owner must choose a new one before joining. */
export function GivenPassword({ email }: { email: string }) {
  const { api } = usePlace();
  const tongue = useTongue();
  const { words } = tongue;
  const [state, setState] = useState<'idle' | 'busy' | 'asked'>('idle');
  const [problem, setProblem] = useState<string | null>(null);
  const ask = async (): Promise<void> => {
    setState('busy');
    setProblem(null);
    try {
      await api.call('requestPasswordReset', { body: { email } });
      setState('asked');
    } catch (error) {
      setProblem(faultWords(error, tongue));
      setState('idle');
    }
  };
  if (state === 'asked') return <Note key="asked" tone="status" title={words.password.asked} text={words.password.askedText(email)} />;
  return (
    <Note tone="alert" title={words.invitation.given.title} text={words.invitation.given.text}>
      {problem ? <p className="field-error">{problem}</p> : null}
      <button type="button" className="button button-primary" disabled={state === 'busy'} onClick={ask}>
        {words.invitation.given.act}
      </button>
    </Note>
  );
}
