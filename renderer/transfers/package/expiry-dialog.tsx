import { type FormEvent, useState } from 'react';
import type { SentPackage } from '#protocol/agent/sent-package.ts';
import { SelectField, TextField } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { useFaultText } from '../../messages/fault-text.tsx';
import { useFormat } from '../../messages/format.ts';
import { type Expiry, expiryRequest, offeredDays } from '../../send/expiry.ts';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import type { useSentPackageActions } from './queries.ts';
import { useSentPackageTexts } from './texts.ts';

interface ExpiryDialogProps {
  readonly sent: SentPackage;
  readonly action: ReturnType<typeof useSentPackageActions>['expiry'];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Until when a sent package can be downloaded. Days count from now. */
export function ExpiryDialog({ sent, action, onClose, onDone }: ExpiryDialogProps) {
  const { messages, number, day } = useFormat();
  const fault = useFaultText();
  const { send } = messages;
  const texts = useSentPackageTexts();
  const [expiry, setExpiry] = useState<Expiry>({ kind: 'days', days: 14 });
  const [past, setPast] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const until = expiryRequest(expiry, new Date());
    setPast(until === null);
    if (until) action.mutate(until, { onSuccess: onDone });
  };
  return (
    <Dialog title={texts.extendTitle} onClose={onClose} filled={false} small>
      <form className="form" onSubmit={submit}>
        {action.error ? <Notice tone="bad">{fault(action.error)}</Notice> : null}
        <p>{sent.unlimited_storage ? texts.nowNever : texts.now(day(sent.expiry))}</p>
        <SelectField
          label={send.expiry.label}
          value={expiry.kind === 'days' ? expiry.days : expiry.kind}
          onChange={({ target: { value } }) =>
            setExpiry(
              value === 'never' ? { kind: 'never' } : value === 'date' ? { kind: 'date', day: '' } : { kind: 'days', days: Number(value) },
            )
          }
        >
          {offeredDays.map((days) => (
            <option key={days} value={days}>
              {send.expiry.days(number(days), days === 1)}
            </option>
          ))}
          <option value="date">{send.expiry.date}</option>
          <option value="never">{send.expiry.never}</option>
        </SelectField>
        {expiry.kind === 'date' ? (
          <TextField
            label={send.expiry.until}
            type="date"
            required
            value={expiry.day}
            onChange={(event) => setExpiry({ kind: 'date', day: event.target.value })}
            error={past ? send.expiry.past : null}
          />
        ) : null}
        <div className="dialog-actions">
          <CancelButton />
          <button type="submit" className="button button-primary" disabled={action.isPending}>
            {texts.extendNow}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
