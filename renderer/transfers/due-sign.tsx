import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { useFormat } from '../messages/format.ts';
import { isFinished } from './describe-transfer.ts';

/** The deadline of a transfer, as a small sign in its row; nothing without one, and once it is over. */
export function DueSign({ transfer }: { transfer: AgentTransfer }) {
  const format = useFormat();
  const { row, detail } = format.messages.transfers;
  const { deadline } = transfer;
  if (!deadline || isFinished(transfer)) return null;
  const words = detail.deadline.state[deadline.state];
  return (
    <span className={`row-due row-due-${deadline.state}`} title={words}>
      {row.due(format.moment(deadline.due_at))}
      <span className="visually-hidden">: {words}</span>
    </span>
  );
}
