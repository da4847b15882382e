import { useState } from 'react';
import { useLocale } from '../messages/account.ts';
import { usePageEnvironment } from './environment.ts';
import { faultText } from './faults.ts';
import { Note } from './note.tsx';

/** Another person chose this account's password: the owner must choose a new one before joining. */
export function GivenPassword({ email }: { email: string }) {
  const { api } = usePageEnvironment();
  const locale = useLocale();
  const { messages } = locale;
  const [state, setState] = useState<'idle' | 'busy' | 'asked'>('idle');
  const [problem, setProblem] = useState<string | null>(null);
  const ask = async (): Promise<void> => {
    setState('busy');
    setProblem(null);
    try {
      await api.call('requestPasswordReset', { body: { email } });
      setState('asked');
    } catch (error) {
      setProblem(faultText(error, locale));
      setState('idle');
    }
  };
  if (state === 'asked')
    return <Note key="asked" tone="status" title={messages.password.asked} text={messages.password.askedText(email)} />;
  return (
    <Note tone="alert" title={messages.invitation.given.title} text={messages.invitation.given.text}>
      {problem ? <p className="field-error">{problem}</p> : null}
      <button type="button" className="button button-primary" disabled={state === 'busy'} onClick={ask}>
        {messages.invitation.given.act}
      </button>
    </Note>
  );
}
