import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { AgentCallError } from '#client/agent-call-error.ts';
import type { LinkCode as MailedCode } from '#protocol/hosted/links.ts';
import { TextField } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { useFaultText } from '../messages/fault-text.tsx';
import { useLocale } from '../messages/locale.ts';

interface LinkCodeProps {
  readonly mail: () => Promise<MailedCode>;
  readonly value: string;
  readonly onChange: (code: string) => void;
}

/** The code that a link asks its recipient for: has it mailed when the person asks, and takes it. */
export function LinkCode({ mail, value, onChange }: LinkCodeProps) {
  const { messages } = useLocale();
  const fault = useFaultText();
  const texts = messages.get.code;
  const [sent, setSent] = useState<MailedCode | null>(null);
  const mailing = useMutation({
    mutationFn: mail,
    onSuccess: (mailed) => {
      setSent(mailed);
      onChange('');
    },
  });
  // Within a minute of another one, which is good still.
  const isThere = sent !== null || (mailing.error instanceof AgentCallError && mailing.error.is('rate_limited'));
  return (
    <>
      <p role="status">{sent ? texts.sent(sent.recipient) : texts.ask}</p>
      {mailing.error ? <Notice tone={isThere ? 'warn' : 'bad'}>{fault(mailing.error)}</Notice> : null}
      {isThere ? (
        <TextField
          label={texts.label}
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern="[\s\-]*(\d[\s\-]*){8}"
          maxLength={20}
          required
          autoFocus
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : null}
      <div>
        <button type="button" className="button button-small" disabled={mailing.isPending} onClick={() => mailing.mutate()}>
          {mailing.isPending ? texts.mailing : isThere ? texts.again : texts.mail}
        </button>
      </div>
    </>
  );
}

const codeErrors = ['link_code_required', 'link_code_wrong', 'link_code_over'] as const;

/** Whether a call failed because a link asks for a code; `wrong` where the one that was given does not open it. */
export function codeAsked(error: unknown): 'none' | 'missing' | 'wrong' {
  const name = error instanceof AgentCallError ? codeErrors.find((one) => error.is(one)) : undefined;
  return name === undefined ? 'none' : name === 'link_code_required' ? 'missing' : 'wrong';
}
