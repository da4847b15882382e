import type { ActOnTransfers } from '#protocol/agent/transfer-actions.ts';
import type { TransferFilter } from '#protocol/agent/transfers.ts';
import { CloseIcon, PauseIcon, PlayIcon, RetryIcon } from '#ui/icons.tsx';
import { useFormat } from '../../messages/format.ts';
import { useTransferActions } from '../actions/transfer-actions.tsx';
import { type BatchAction, countChosen, everything, nothing, type Selection } from './selection.ts';

interface SelectionBarProps {
  readonly selection: Selection;
  readonly total: number;
  readonly filter: TransferFilter;
  /** Actions that apply to at least one of them. */
  readonly allowed: ReadonlySet<BatchAction>;
  readonly onSelect: (selection: Selection) => void;
}

/** Batch actions for the selected transfers. */
export function SelectionBar({ selection, total, filter, allowed, onSelect }: SelectionBarProps) {
  const { messages, number } = useFormat();
  const { act, select } = messages.transfers;
  const actions = useTransferActions();
  const count = countChosen(selection, total);
  const begin = (action: BatchAction, priority?: ActOnTransfers['priority']): void => {
    const which = selection.mode === 'some' ? { ids: [...selection.ids.keys()] } : { matching: filter, except: [...selection.except] };
    actions.batch({ action, ...(priority ? { priority } : {}), ...which }, count);
    onSelect(nothing);
  };
  const has = (action: BatchAction): boolean => allowed.has(action);
  return (
    <section className="selection-bar" aria-label={select.label}>
      <button type="button" className="button button-quiet button-icon" aria-label={select.clear} onClick={() => onSelect(nothing)}>
        <CloseIcon />
      </button>
      <p role="status" className="figure">
        {selection.mode === 'all' && count === total ? select.all(number(count)) : select.some(number(count))}
      </p>
      {count < total ? (
        <button type="button" className="button-link" onClick={() => onSelect(everything)}>
          {select.allThere(number(total))}
        </button>
      ) : null}
      <div className="selection-acts">
        {has('pause') ? (
          <button type="button" className="button button-small" onClick={() => begin('pause')}>
            <PauseIcon /> {act.pause}
          </button>
        ) : null}
        {has('resume') ? (
          <button type="button" className="button button-small" onClick={() => begin('resume')}>
            <PlayIcon /> {act.resume}
          </button>
        ) : null}
        {has('retry') ? (
          <button type="button" className="button button-small" onClick={() => begin('retry')}>
            <RetryIcon /> {act.retry}
          </button>
        ) : null}
        {has('priority') ? (
          <select
            className="input selection-priority"
            aria-label={act.priority}
            value=""
            onChange={(event) => begin('priority', event.target.value as NonNullable<ActOnTransfers['priority']>)}
          >
            <option value="" disabled>
              {act.priority}
            </option>
            <option value="high">{act.high}</option>
            <option value="normal">{act.normal}</option>
            <option value="low">{act.low}</option>
          </select>
        ) : null}
        {has('cancel') ? (
          <button type="button" className="button button-small button-danger" onClick={() => begin('cancel')}>
            {select.cancel}
          </button>
        ) : null}
        {has('remove') ? (
          <button type="button" className="button button-small" onClick={() => begin('remove')}>
            {select.remove}
          </button>
        ) : null}
      </div>
    </section>
  );
}
