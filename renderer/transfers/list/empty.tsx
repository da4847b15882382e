import { DownloadIcon, SendIcon } from '#ui/icons.tsx';
import { useFormat } from '../../messages/format.ts';
import { isNarrowed, type ListView, wholeView } from './list-view.ts';

interface EmptyProps {
  readonly view: ListView;
  readonly onView: (view: ListView) => void;
  /** Null where sending is not possible now. */
  readonly onSend: (() => void) | null;
  readonly onGet: () => void;
}

/** Shown instead of an empty list, with the reason. */
export function Empty({ view, onView, onSend, onGet }: EmptyProps) {
  const { messages } = useFormat();
  const { empty, noneFound, noneIn } = messages.transfers;
  if (isNarrowed(view)) {
    return (
      <section className="empty">
        <h2>{noneFound.title}</h2>
        <p>{noneFound.text}</p>
        <button type="button" className="button" onClick={() => onView({ ...wholeView, order: view.order })}>
          {noneFound.all}
        </button>
      </section>
    );
  }
  if (view.show !== 'all') {
    return (
      <section className="empty">
        <p>{noneIn[view.show]}</p>
      </section>
    );
  }
  return (
    <section className="empty">
      <EmptyDrawing />
      <h2>{empty.title}</h2>
      <p>{empty.text}</p>
      <div className="empty-actions">
        {onSend ? (
          <button type="button" className="button button-primary" onClick={onSend}>
            <SendIcon /> {messages.app.send}
          </button>
        ) : null}
        <button type="button" className="button" onClick={onGet}>
          <DownloadIcon /> {messages.app.get}
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
