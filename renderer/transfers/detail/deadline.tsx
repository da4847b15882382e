import { type FormEvent, useEffect, useState } from 'react';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { TextField } from '#ui/field.tsx';
import { useFormat } from '../../messages/format.ts';
import { useTransferActions } from '../actions/transfer-actions.tsx';
import { dueAtOf, typedMoment } from './typed-moment.ts';

/** When this transfer should be over, what that looks like, and a field to change it. */
export function Deadline({ transfer }: { transfer: AgentTransfer }) {
  const format = useFormat();
  const { deadline: texts } = format.messages.transfers.detail;
  const actions = useTransferActions();
  const { deadline } = transfer;
  const shown = deadline ? typedMoment(deadline.due_at) : '';
  const [text, setText] = useState(shown);
  const [wrong, setWrong] = useState(false);
  useEffect(() => setText(shown), [shown]);
  const set = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const dueAt = dueAtOf(text, Date.now());
    setWrong(dueAt === undefined);
    if (dueAt === undefined) return;
    if (await actions.change(transfer.id, { due_at: dueAt }))
      actions.notify({ tone: 'plain', text: ({ messages }) => messages.transfers.detail.deadline.saved });
  };
  return (
    <section className="panel" aria-labelledby="deadline-heading">
      <h2 id="deadline-heading">{texts.title}</h2>
      {deadline ? (
        <p>
          {texts.state[deadline.state]} {deadline.expected_at ? texts.expected(format.moment(deadline.expected_at)) : null}
        </p>
      ) : null}
      <form className="limit-form" noValidate onSubmit={(event) => void set(event)}>
        <TextField
          label={texts.label}
          hint={texts.hint}
          error={wrong ? texts.wrong : null}
          type="datetime-local"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" className="button" aria-label={texts.saveLabel}>
          {texts.save}
        </button>
      </form>
    </section>
  );
}
