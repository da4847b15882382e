import { type FormEvent, useEffect, useState } from 'react';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { TextField } from '#ui/field.tsx';
import { useFormat } from '../../messages/format.ts';
import { useTransferActions } from '../actions/transfer-actions.tsx';
import { limitOf, megabyte } from './typed-limit.ts';

/** The speed limit of this transfer alone. */
export function OwnLimit({ transfer }: { transfer: AgentTransfer }) {
  const { messages, tag } = useFormat();
  const { limit } = messages.transfers.detail;
  const actions = useTransferActions();
  const current = transfer.rate_limit_bps ?? 0;
  const shown =
    current === 0 ? '' : new Intl.NumberFormat(tag, { useGrouping: false, maximumFractionDigits: 6 }).format(current / megabyte);
  const [text, setText] = useState(shown);
  const [wrong, setWrong] = useState(false);
  useEffect(() => setText(shown), [shown]);
  const set = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const value = limitOf(text);
    setWrong(value === null);
    if (value === null) return;
    if (await actions.change(transfer.id, { rate_limit_bps: value }))
      actions.notify({ tone: 'plain', text: ({ messages: { transfers } }) => transfers.detail.limit.saved });
  };
  return (
    <section className="panel" aria-labelledby="limit-heading">
      <h2 id="limit-heading">{limit.title}</h2>
      <form className="limit-form" noValidate onSubmit={(event) => void set(event)}>
        <TextField
          label={limit.label}
          hint={limit.hint}
          error={wrong ? limit.wrong : null}
          inputMode="decimal"
          autoComplete="off"
          maxLength={12}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" className="button">
          {limit.save}
        </button>
      </form>
    </section>
  );
}
