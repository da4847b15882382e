import { memo, useId, useState } from 'react';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { desktopBridge } from '../desktop/bridge.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { CheckIcon, ChevronIcon, CloseIcon, FolderIcon, GetIcon, OverIcon, SendIcon, WaitIcon, WarnIcon } from '../ui/icons.tsx';
import { Progress } from '../ui/progress.tsx';
import { isFinished } from './book.ts';
import { TransferDetails } from './transfer-details.tsx';
import { doneShare, filesWords, momentWords, sizeWords, speedWords, stateWords, type Tone, timeLeftWords } from './words.ts';

interface TransferCardProps {
  readonly transfer: AgentTransfer;
  /** Whether the page hears from the agent: otherwise speed and time left are not true any more. */
  readonly live: boolean;
  readonly onRemove: (transfer: AgentTransfer) => void;
}

/** One transfer: what it is, how far it is, why it waits, and what can be done about it. */
export const TransferCard = memo(function TransferCard({ transfer, live, onRemove }: TransferCardProps) {
  const [open, setOpen] = useState(false);
  const details = useId();
  const words = stateWords(transfer, new Date());
  const finished = isFinished(transfer);
  const bridge = desktopBridge();
  const over = finished || transfer.state === 'error';
  const removeLabel = over ? `Remove ${transfer.name} from the list` : `Cancel ${transfer.name}`;

  return (
    <li className={`transfer tone-${words.tone}`}>
      <div className="transfer-row">
        <span className="transfer-icon">
          <ToneIcon tone={words.tone} kind={transfer.kind} />
        </span>
        <div className="transfer-text">
          <h3 title={transfer.name}>{transfer.name}</h3>
          <p className="transfer-facts">
            <span className="state">{words.label}</span>
            {factsOf(transfer, live).map((fact) => (
              <span key={fact} className="fact">
                {fact}
              </span>
            ))}
          </p>
        </div>
        <div className="transfer-main-action">
          {transfer.kind === 'upload' && transfer.state === 'complete' && transfer.url ? (
            <CopyButton text={transfer.url} label="Copy link" about={transfer.name} />
          ) : null}
          {transfer.kind === 'download' && transfer.state === 'complete' && bridge ? (
            <button type="button" className="button button-small" onClick={() => bridge.revealFolder(transfer.dst_folder)}>
              <FolderIcon /> Show<span className="visually-hidden"> the folder of {transfer.name}</span>
            </button>
          ) : null}
        </div>
        <div className="transfer-actions">
          <button
            type="button"
            className={open ? 'button button-quiet button-icon turned' : 'button button-quiet button-icon'}
            aria-expanded={open}
            aria-controls={details}
            aria-label={`Details of ${transfer.name}`}
            onClick={() => setOpen(!open)}
          >
            <ChevronIcon />
          </button>
          <button
            type="button"
            className="button button-quiet button-icon"
            aria-label={removeLabel}
            title={over ? 'Remove' : 'Cancel'}
            onClick={() => onRemove(transfer)}
          >
            <CloseIcon />
          </button>
        </div>
      </div>
      {finished ? null : (
        <Progress
          share={doneShare(transfer)}
          label={`Progress of ${transfer.name}`}
          tone={words.tone === 'bad' ? 'bad' : words.tone === 'moving' && live ? 'moving' : 'waiting'}
        />
      )}
      {words.detail ? <p className="transfer-detail">{words.detail}</p> : null}
      <div id={details} hidden={!open}>
        {open ? <TransferDetails transfer={transfer} /> : null}
      </div>
    </li>
  );
});

/** The figures beside the state, most telling first. */
function factsOf(transfer: AgentTransfer, live: boolean): string[] {
  if (isFinished(transfer)) {
    const facts = [filesWords(transfer.total_files), sizeWords(transfer.total_bytes)];
    if (transfer.finished_at) facts.push(momentWords(transfer.finished_at, new Date()));
    return facts;
  }
  if (transfer.state === 'queued' && transfer.bytes === 0) return [filesWords(transfer.total_files), sizeWords(transfer.total_bytes)];
  const facts = [
    transfer.total_bytes > 0 ? `${sizeWords(transfer.bytes)} of ${sizeWords(transfer.total_bytes)}` : filesWords(transfer.total_files),
  ];
  if (!live || transfer.state !== 'transferring' || transfer.waiting) return facts;
  if (transfer.bytes_per_second > 0) facts.push(speedWords(transfer.bytes_per_second));
  if (transfer.seconds_left !== null) facts.push(timeLeftWords(transfer.seconds_left));
  return facts;
}

function ToneIcon({ tone, kind }: { tone: Tone; kind: AgentTransfer['kind'] }) {
  switch (tone) {
    case 'moving':
      return kind === 'upload' ? <SendIcon /> : <GetIcon />;
    case 'waiting':
    case 'calm':
      return <WaitIcon />;
    case 'good':
      return <CheckIcon />;
    case 'bad':
      return <WarnIcon />;
    case 'over':
      return <OverIcon />;
  }
}
