import { type ReactNode, useState } from 'react';
import { TextField } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/sso.ts';
import { en } from '../../messages/en/console/sso.ts';
import { useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { useFaultText } from '../ui/fault-text.ts';
import { ssoCalls } from './calls.ts';
import type { PartProps } from './draft.ts';

interface ProviderProps extends PartProps {
  readonly callbackUrl: string;
  readonly hasSecret: boolean;
}

/** Where people sign in, and how the service is known there. */
export function Provider({ draft, set, errorOf, callbackUrl, hasSecret }: ProviderProps) {
  const { messages } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const team = useTeam();
  const api = useApi(ssoCalls);
  const fault = useFaultText();
  const [found, setFound] = useState<{ readonly tone: 'plain' | 'bad'; readonly text: ReactNode } | null>(null);
  const [busy, setBusy] = useState(false);
  const lookUp = async (): Promise<void> => {
    setBusy(true);
    setFound(null);
    try {
      const { authorization_endpoint: at } = await api.call('testSso', {
        params: { team_id: team.id },
        body: { issuer: draft.issuer.trim() },
      });
      setFound({ tone: 'plain', text: messages.found(at) });
    } catch (error) {
      setFound({ tone: 'bad', text: fault(error) });
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className="panel">
      <div>
        <h2>{messages.provider}</h2>
        <p className="hint">{messages.providerText}</p>
      </div>
      <div className="secret">
        <span className="mono">{callbackUrl}</span>
        <CopyButton text={callbackUrl} label={`${shell.copy}: ${messages.redirectUri}`} />
      </div>
      <div className="sso-with-button">
        <TextField
          label={messages.issuer}
          hint={messages.issuerHint}
          type="url"
          placeholder="https://login.example.com"
          spellCheck={false}
          value={draft.issuer}
          error={errorOf('issuer')}
          onChange={({ target }) => set({ issuer: target.value })}
        />
        <button type="button" className="button" disabled={busy || draft.issuer.trim() === ''} onClick={() => void lookUp()}>
          {messages.lookUp}
        </button>
      </div>
      {found ? <Notice tone={found.tone}>{found.text}</Notice> : null}
      <div className="sso-pair">
        <TextField
          label={messages.clientId}
          autoComplete="off"
          spellCheck={false}
          value={draft.clientId}
          error={errorOf('client_id')}
          onChange={({ target }) => set({ clientId: target.value })}
        />
        <TextField
          label={messages.clientSecret}
          hint={hasSecret ? messages.secretKept : messages.secretNone}
          type="password"
          autoComplete="new-password"
          value={draft.clientSecret}
          onChange={({ target }) => set({ clientSecret: target.value })}
        />
      </div>
      <TextField
        label={messages.scopes}
        hint={messages.scopesHint}
        spellCheck={false}
        value={draft.scopes}
        error={errorOf('scopes')}
        onChange={({ target }) => set({ scopes: target.value })}
      />
    </section>
  );
}
