import { useState } from 'react';
import { TextField } from '#ui/field.tsx';
import { de } from '../../messages/de/console/security.ts';
import { en } from '../../messages/en/console/security.ts';
import { useTexts } from '../app/texts.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useSecurityFault } from './security-fault.ts';

interface NamePasskeyProps {
  readonly title: string;
  readonly submit: string;
  readonly name: string;
  readonly onName: (name: string) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks for a passkey's name. */
export function NamePasskey({ title, submit, name: before, onName, onClose }: NamePasskeyProps) {
  const { messages } = useTexts({ en, de });
  const orExplain = useSecurityFault();
  const [name, setName] = useState(before);
  const [missing, setMissing] = useState(false);
  const send = async (): Promise<boolean> => {
    setMissing(name.trim() === '');
    if (name.trim() === '') return false;
    await orExplain(() => onName(name.trim()));
    return true;
  };
  return (
    <FormDialog title={title} submit={submit} onSubmit={send} onClose={onClose}>
      <TextField
        label={messages.passkeys.name}
        name="name"
        autoComplete="off"
        required
        maxLength={100}
        value={name}
        hint={messages.passkeys.nameHint}
        error={missing ? messages.passkeys.nameMissing : null}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}
