import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { DownloadIcon, FolderIcon, OverIcon, SendIcon } from '#ui/icons.tsx';
import { hrefOf } from '../app/route.ts';
import { desktopBridge } from '../desktop/bridge.ts';
import { useFormat } from '../messages/format.ts';
import { describeState, recipientsText } from '../transfers/describe-transfer.ts';
import { CopyButton } from '../ui/copy-button.tsx';

/** One transfer: its name, its target, and the actions that are still possible. */
export function HistoryRow({ transfer, teamName }: { transfer: AgentTransfer; teamName: string | null }) {
  const format = useFormat();
  const { messages, files, size, tag } = format;
  const { history: texts } = messages;
  const bridge = desktopBridge();
  const up = transfer.kind === 'upload';
  const done = transfer.state === 'complete';
  const isOver = done || transfer.state === 'cancelled';
  const amount = [files(transfer.total_files), size(transfer.total_bytes)] as const;
  const what = !isOver
    ? [describeState(format, transfer, new Date(), false).label, size(transfer.total_bytes)].join(', ')
    : done
      ? up
        ? texts.sent(...amount)
        : texts.received(...amount)
      : up
        ? texts.cancelledUp
        : texts.cancelledDown;
  const where = up
    ? transfer.portal
      ? texts.toPortal(transfer.portal.name)
      : texts.toTeam(recipientsText(format, transfer) || (teamName ?? ''))
    : texts.into(transfer.dst_folder);
  const time = new Intl.DateTimeFormat(tag, { timeStyle: 'short' }).format(new Date(transfer.created_at));
  return (
    <li className={done ? 'history-row good' : 'history-row'}>
      {transfer.state === 'cancelled' ? <OverIcon /> : up ? <SendIcon /> : <DownloadIcon />}
      <div className="history-text">
        <a href={hrefOf({ name: 'transfer', id: transfer.id })} title={transfer.name} dir="auto">
          {transfer.name}
        </a>
        <p>
          <time dateTime={transfer.created_at}>{time}</time> <span>{what}</span> {where ? <span dir="auto">{where}</span> : null}
        </p>
      </div>
      {up && done && transfer.url ? <CopyButton text={transfer.url} label={texts.copy} about={transfer.name} /> : null}
      {!up && done && bridge ? (
        <button
          type="button"
          className="button button-small"
          onClick={() => bridge.revealFolder(transfer.dst_folder)}
          aria-label={texts.revealOf(transfer.name)}
        >
          <FolderIcon /> {texts.reveal}
        </button>
      ) : null}
    </li>
  );
}
