import { useEffect } from 'react';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { sentenceOf } from '../agent/failure.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { useRemoveTransfer } from './queries.ts';
import { removalQuestion } from './words.ts';

/** Asks before a transfer that would lose something is cancelled or removed. Goes away when there is nothing left to ask. */
export function RemoveDialog({ transfer, onClose }: { transfer: AgentTransfer; onClose: () => void }) {
  const remove = useRemoveTransfer();
  const question = removalQuestion(transfer);
  useEffect(() => {
    if (!question) onClose();
  }, [question, onClose]);
  if (!question) return null;
  return (
    <Dialog title={question.title} onClose={onClose} small>
      <p className="dialog-name">{transfer.name}</p>
      <p>{question.text}</p>
      {remove.error ? <Notice tone="bad">{sentenceOf(remove.error)}</Notice> : null}
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose}>
          Keep it
        </button>
        <button
          type="button"
          className="button button-danger"
          disabled={remove.isPending}
          onClick={() => remove.mutate(transfer.id, { onSuccess: onClose })}
        >
          {remove.isPending ? 'One moment…' : question.confirm}
        </button>
      </div>
    </Dialog>
  );
}
