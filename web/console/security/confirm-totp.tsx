import { useState } from 'react';
import { TextField } from '#ui/field.tsx';
import { QrCode } from '#ui/qr-code.tsx';
import { de } from '../../messages/de/console/security.ts';
import { en } from '../../messages/en/console/security.ts';
import { useTexts } from '../app/texts.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useSecurityFault } from './security-fault.ts';

interface ConfirmTotpProps {
  readonly secret: string;
  readonly uri: string;
  readonly onConfirm: (code: string) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Shows the secret of an authenticator app, as a QR code and to be typed in, and asks for a code of it. */
export function ConfirmTotp({ secret, uri, onConfirm, onClose }: ConfirmTotpProps) {
  const { messages } = useTexts({ en, de });
  const orExplain = useSecurityFault();
  const [code, setCode] = useState('');
  const [missing, setMissing] = useState(false);
  const text = messages.totp;
  const send = async (): Promise<boolean> => {
    setMissing(code.trim() === '');
    if (code.trim() === '') return false;
    await orExplain(() => onConfirm(code.trim()));
    return true;
  };
  return (
    <FormDialog title={text.add} submit={text.confirm} onSubmit={send} onClose={onClose}>
      <p>{text.scan}</p>
      <QrCode text={uri} label={text.qr} />
      <p className="hint">{text.byHand}</p>
      <p className="totp-secret">
        <code>{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code> <CopyButton text={secret} label={text.copySecret} />
      </p>
      <TextField
        label={messages.code}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        value={code}
        hint={text.codeHint}
        error={missing ? messages.codeMissing : null}
        onChange={(event) => setCode(event.target.value)}
      />
    </FormDialog>
  );
}
