import { useState } from 'react';
import type { FreshProof, Mfa } from '#protocol/hosted/mfa.ts';
import { Choice } from '#ui/choice.tsx';
import { TextField } from '#ui/field.tsx';
import { de } from '../../messages/de/console/security.ts';
import { en } from '../../messages/en/console/security.ts';
import { useApi } from '../app/api.ts';
import { useTexts } from '../app/texts.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { passkeyCalls, passkeysWork, provePasskey } from './passkey.ts';
import { useSecurityFault } from './security-fault.ts';

interface ProveDialogProps {
  readonly mfa: Mfa;
  readonly title: string;
  readonly text: string;
  readonly submit: string;
  readonly danger?: boolean;
  readonly onProved: (proof: FreshProof) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks for the password again and, where there is a second factor, for that as well. */
export function ProveDialog({ mfa, title, text, submit, danger = false, onProved, onClose }: ProveDialogProps) {
  const { messages } = useTexts({ en, de });
  const api = useApi(passkeyCalls);
  const orExplain = useSecurityFault();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const mayUsePasskey = mfa.passkeys.length > 0 && passkeysWork();
  const [by, setBy] = useState<'code' | 'passkey'>(mayUsePasskey && !mfa.totp ? 'passkey' : 'code');
  const [missing, setMissing] = useState(false);
  const needsCode = mfa.enabled && by === 'code';
  const send = async (): Promise<boolean> => {
    const isMissing = password === '' || (needsCode && code.trim() === '');
    setMissing(isMissing);
    if (isMissing) return false;
    return await orExplain(async () => {
      const second = !mfa.enabled ? {} : by === 'passkey' ? { passkey: await provePasskey(api) } : { code: code.trim() };
      await onProved({ password, ...second });
      return true;
    });
  };
  return (
    <FormDialog title={title} submit={submit} danger={danger} onSubmit={send} onClose={onClose}>
      <p>{text}</p>
      <TextField
        label={messages.password}
        type="password"
        name="password"
        autoComplete="current-password"
        required
        value={password}
        error={missing && password === '' ? messages.passwordMissing : null}
        onChange={(event) => setPassword(event.target.value)}
      />
      {mfa.enabled && mayUsePasskey ? (
        <Choice
          label={messages.by.label}
          id="prove-by"
          value={by}
          options={[
            ['code', messages.by.code],
            ['passkey', messages.by.passkey],
          ]}
          onChoose={setBy}
        />
      ) : null}
      {needsCode ? (
        <TextField
          label={messages.code}
          name="code"
          autoComplete="one-time-code"
          spellCheck={false}
          required
          value={code}
          hint={messages.codeHint}
          error={missing && code.trim() === '' ? messages.codeMissing : null}
          onChange={(event) => setCode(event.target.value)}
        />
      ) : null}
    </FormDialog>
  );
}
