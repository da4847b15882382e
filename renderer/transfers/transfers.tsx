import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { sentenceOf } from '../agent/failure.ts';
import { GetIcon, SendIcon } from '../ui/icons.tsx';
import { Notice } from '../ui/notice.tsx';
import { inOrder } from './book.ts';
import { useRemoveTransfer, useTransfers } from './queries.ts';
import { RemoveDialog } from './remove-dialog.tsx';
import { TransferCard } from './transfer-card.tsx';
import { announcement, removalQuestion, sizeWords, speedWords } from './words.ts';

interface TransfersProps {
  readonly live: boolean;
  /** Null where sending is not possible now. */
  readonly onSend: (() => void) | null;
  readonly onGet: () => void;
}

/** All transfers: what is under way first, then what is over. */
export function Transfers({ live, onSend, onGet }: TransfersProps) {
  const { data: book, error, isFetching, refetch, showOlder } = useTransfers();
  const [asking, setAsking] = useState<AgentTransfer | null>(null);
  const lists = useMemo(() => (book?.loaded ? inOrder(book) : null), [book]);
  const { mutate: remove, error: removeError } = useRemoveTransfer();
  const askOrRemove = useCallback(
    (transfer: AgentTransfer) => {
      if (removalQuestion(transfer)) setAsking(transfer);
      else remove(transfer.id);
    },
    [remove],
  );
  const spoken = useAnnouncements(book?.byId);

  return (
    <>
      <p className="visually-hidden" role="status" aria-live="polite">
        {spoken}
      </p>
      {error && live ? (
        <Notice tone="bad">
          {sentenceOf(error)}{' '}
          <button type="button" className="button-link" onClick={() => refetch()}>
            Try again
          </button>
        </Notice>
      ) : null}
      {removeError ? <Notice tone="bad">{sentenceOf(removeError)}</Notice> : null}
      {!lists && !error ? <Loading /> : null}
      {lists && lists.open.length + lists.finished.length === 0 ? <Empty onSend={onSend} onGet={onGet} /> : null}
      {lists && lists.open.length > 0 ? (
        <section className="transfer-group" aria-labelledby="open-heading">
          <header className="group-head">
            <h2 id="open-heading">Under way</h2>
            {live ? <p className="hint">{totalsWords(lists.open)}</p> : null}
          </header>
          <ul className="transfer-list">
            {lists.open.map((transfer) => (
              <TransferCard key={transfer.id} transfer={transfer} live={live} onRemove={askOrRemove} />
            ))}
          </ul>
        </section>
      ) : null}
      {lists && lists.finished.length > 0 && book ? (
        <section className="transfer-group" aria-labelledby="finished-heading">
          <header className="group-head">
            <h2 id="finished-heading">Finished</h2>
          </header>
          <ul className="transfer-list">
            {lists.finished.map((transfer) => (
              <TransferCard key={transfer.id} transfer={transfer} live={live} onRemove={askOrRemove} />
            ))}
          </ul>
          {book.finishedTotal > lists.finished.length ? (
            <button type="button" className="button show-older" onClick={() => showOlder()} disabled={isFetching}>
              Show older ({book.finishedTotal - lists.finished.length} more)
            </button>
          ) : null}
        </section>
      ) : null}
      {asking ? <RemoveDialog transfer={book?.byId.get(asking.id) ?? asking} onClose={() => setAsking(null)} /> : null}
    </>
  );
}

function totalsWords(open: readonly AgentTransfer[]): string {
  const moving = open.filter((one) => one.state === 'transferring');
  const left = open.reduce((sum, one) => sum + Math.max(0, one.total_bytes - one.bytes), 0);
  const speed = moving.reduce((sum, one) => sum + one.bytes_per_second, 0);
  const toGo = `${sizeWords(left)} to go`;
  return speed > 0 ? `${toGo} at ${speedWords(speed)}` : toGo;
}

/** What a screen reader hears when a transfer comes to an end or fails. */
function useAnnouncements(byId: ReadonlyMap<string, AgentTransfer> | undefined): string {
  const before = useRef<ReadonlyMap<string, AgentTransfer> | null>(null);
  const [spoken, setSpoken] = useState('');
  useEffect(() => {
    if (!byId) return;
    if (before.current) {
      const text = announcement(before.current, byId);
      if (text) setSpoken(text);
    }
    before.current = byId;
  }, [byId]);
  return spoken;
}

function Loading() {
  return (
    <div className="transfer-list" aria-busy="true">
      <p className="visually-hidden" role="status">
        Loading transfers…
      </p>
      <div className="transfer skeleton" />
      <div className="transfer skeleton" />
    </div>
  );
}

function Empty({ onSend, onGet }: Pick<TransfersProps, 'onSend' | 'onGet'>) {
  return (
    <section className="empty">
      <EmptyDrawing />
      <h2>Nothing on the move</h2>
      <p>Send files and folders of any size to your Team, or paste a link to get what somebody sent you.</p>
      <div className="empty-actions">
        {onSend ? (
          <button type="button" className="button button-primary" onClick={onSend}>
            <SendIcon /> Send files
          </button>
        ) : null}
        <button type="button" className="button" onClick={onGet}>
          <GetIcon /> Get files
        </button>
      </div>
    </section>
  );
}

function EmptyDrawing() {
  return (
    <svg className="empty-drawing" viewBox="0 0 240 96" aria-hidden="true" focusable="false">
      <path className="ink" d="M8 62h64v22H8z" />
      <rect className="box" x="18" y="40" width="26" height="22" rx="3" />
      <rect className="box" x="18" y="14" width="26" height="22" rx="3" />
      <path className="ink" d="M124 62h92l-12 18h-66z" />
      <path className="line" d="M196 62V40h12v22M150 46h24v16h-24z" />
      <path className="line water" d="M84 86c8 6 16 6 24 0s16-6 24 0 16 6 24 0 16-6 24 0 16 6 24 0 16-6 24 0" />
    </svg>
  );
}
