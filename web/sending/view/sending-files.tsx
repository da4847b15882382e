import { useState } from 'react';
import { CheckIcon, CloseIcon, FileIcon, FolderIcon, RetryIcon, WarnIcon } from '#ui/icons.tsx';
import { WindowedList } from '../../common/windowed-list.tsx';
import { useFormat } from '../../messages/portal.ts';
import { fullPath, type Item } from '../item.ts';
import type { Progress, Sending } from '../sending.ts';
import { faultText } from './faults.ts';

/** Every file of the package with its current state. */
export function SendingFiles({ sending, progress }: { sending: Sending; progress: Progress }) {
  const { messages, number } = useFormat();
  const [only, setOnly] = useState<'all' | 'problems'>('all');
  const problems = progress.failed + progress.missing;
  const some = only === 'problems' && problems > 0;
  const items = some ? sending.items.filter(({ state }) => state === 'failed' || state === 'missing') : sending.items;
  return (
    <>
      {problems > 0 && sending.items.length > 1 ? (
        <fieldset className="sending-tabs">
          <legend className="visually-hidden">{messages.sending.list}</legend>
          {(['all', 'problems'] as const).map((which) => (
            <button key={which} type="button" className="button button-small" aria-pressed={only === which} onClick={() => setOnly(which)}>
              {messages.sending[which]} <span className="figure">{number(which === 'all' ? sending.items.length : problems)}</span>
            </button>
          ))}
        </fieldset>
      ) : null}
      <WindowedList
        label={messages.sending.list}
        count={items.length}
        rowHeight={3.5}
        rowKey={(index) => items[index]!.index}
        row={(index) => <Row item={items[index]!} sending={sending} />}
      />
    </>
  );
}

function Row({ item, sending }: { item: Item; sending: Sending }) {
  const format = useFormat();
  const { messages, size } = format;
  const { state, fault } = item;
  const part = state === 'sending' && item.size > 0 ? messages.sending.progress(size(item.sent), size(item.size)) : size(item.size);
  const note = fault && state !== 'sent' ? faultText(fault, format) : messages.sending.states[state];
  return (
    <div className={`sending-row sending-row-${state}`}>
      <StateIcon item={item} />
      <div className="sending-row-text">
        <p className="sending-row-name" title={fullPath(item)}>
          <bdi>{item.name}</bdi>
        </p>
        <p className="sending-row-note hint">
          <span className={state === 'failed' ? 'field-error' : undefined}>{note}</span>
          <span className="figure">{item.kind === 'file' ? part : ''}</span>
          {item.path ? <bdi>{item.path}</bdi> : null}
        </p>
      </div>
      {state === 'failed' || state === 'missing' ? (
        <span className="sending-row-buttons">
          {state === 'failed' ? (
            <button
              type="button"
              className="button button-small"
              aria-label={messages.sending.retry(item.name)}
              onClick={() => sending.retry(item)}
            >
              <RetryIcon />
              <span className="sending-row-word">{messages.sending.retryShort}</span>
            </button>
          ) : null}
          <button
            type="button"
            className="button button-quiet button-small"
            aria-label={messages.sending.leaveOut(item.name)}
            onClick={() => void sending.leaveOut(item).catch(() => undefined)}
          >
            <CloseIcon />
            <span className="sending-row-word">{messages.sending.leaveOutShort}</span>
          </button>
        </span>
      ) : null}
    </div>
  );
}

function StateIcon({ item }: { item: Item }) {
  if (item.state === 'sent') return <CheckIcon />;
  if (item.state === 'failed' || item.state === 'missing') return <WarnIcon />;
  return item.kind === 'directory' ? <FolderIcon /> : <FileIcon />;
}
