import { type CSSProperties, type DragEvent, type MouseEvent, memo } from 'react';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import {
  CloseIcon,
  DownloadIcon,
  FinishIcon,
  FolderIcon,
  GripIcon,
  MoreIcon,
  OverIcon,
  PauseIcon,
  PlayIcon,
  RetryIcon,
  SendIcon,
  WarnIcon,
} from '#ui/icons.tsx';
import { ProgressBar } from '#ui/progress-bar.tsx';
import { hrefOf } from '../../app/route.ts';
import { desktopBridge } from '../../desktop/bridge.ts';
import { useFormat } from '../../messages/format.ts';
import { Localized } from '../../messages/localized.tsx';
import { plainText } from '../../messages/localized-text.ts';
import { useUnreachableAddresses, waitsForService } from '../../services/unreachable.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { primaryAction, removalOf } from '../actions/allowed-actions.ts';
import { usePendingRemoval, useTransferActions } from '../actions/transfer-actions.tsx';
import { describePartner, describeState, doneShare, factsOf, isFinished, type Tone } from '../describe-transfer.ts';
import { DueSign } from '../due-sign.tsx';
import { RemedyButtons } from '../needs/remedies.tsx';
import { needsPerson } from '../needs/remedy-actions.ts';

interface RowProps {
  readonly transfer: AgentTransfer;
  readonly index: number;
  /** Whether the event stream is connected. If not, speed and time left are outdated. */
  readonly live: boolean;
  readonly chosen: boolean;
  /** The row with the keyboard focus: its controls are Tab stops. */
  readonly current: boolean;
  readonly movable: boolean;
  /** Also shows the full reason of a problem below the short one. */
  readonly whole: boolean;
  readonly teamName: (id: string) => string | undefined;
  readonly onChoose: (index: number, transfer: AgentTransfer, range: boolean) => void;
  readonly onMenu: (transfer: AgentTransfer, button: HTMLElement) => void;
  readonly onDrag: (transfer: AgentTransfer | null, index: number) => void;
}

/** One transfer in the list: name, progress, reason for waiting, and actions. */
export const TransferRow = memo(function TransferRow(props: RowProps) {
  const { transfer, index, live, chosen, current, movable, whole, teamName, onChoose, onMenu, onDrag } = props;
  const format = useFormat();
  const actions = useTransferActions();
  const ending = usePendingRemoval(transfer.id);
  const cutOff = waitsForService(transfer, useUnreachableAddresses());
  const { row, act, actOn, undo } = format.messages.transfers;
  const state = describeState(format, transfer, new Date(), cutOff);
  const partner = describePartner(format, transfer, teamName);
  const facts = factsOf(format, transfer, live);
  const main = primaryAction(transfer);
  const needs = needsPerson(transfer);
  const tab = current ? 0 : -1;
  const share = doneShare(transfer);
  const end = removalOf(transfer);

  return (
    <div className={`row tone-${state.tone}${chosen ? ' row-chosen' : ''}${ending ? ' row-ending' : ''}${needs ? ' row-needs' : ''}`}>
      <span
        className="row-grip"
        draggable={movable}
        aria-hidden="true"
        title={movable ? row.drag(transfer.name) : undefined}
        hidden={!movable}
        onDragStart={(event: DragEvent) => {
          event.dataTransfer.effectAllowed = 'move';
          event.dataTransfer.setData('application/x-longshore-transfer', transfer.id);
          const line = event.currentTarget.closest('.row');
          if (line) event.dataTransfer.setDragImage(line, 8, 8);
          onDrag(transfer, index);
        }}
        onDragEnd={() => onDrag(null, index)}
      >
        <GripIcon />
      </span>
      <label className="row-choose">
        <input
          type="checkbox"
          className="row-check"
          checked={chosen}
          tabIndex={tab}
          aria-label={row.select(transfer.name)}
          onClick={(event: MouseEvent) => onChoose(index, transfer, event.shiftKey)}
          onChange={() => undefined}
        />
      </label>
      <span className="transfer-icon">
        <ToneIcon tone={state.tone} kind={transfer.kind} />
      </span>
      <div className="row-text">
        <p className="row-head">
          <a
            className="row-name"
            href={hrefOf({ name: 'transfer', id: transfer.id })}
            tabIndex={tab}
            title={transfer.name}
            dir="auto"
            data-row-focus
          >
            {transfer.name}
          </a>
          {transfer.priority === 'normal' || isFinished(transfer) ? null : (
            <span className={`row-priority row-priority-${transfer.priority}`}>{row[transfer.priority]}</span>
          )}
          {partner ? (
            <span className="row-partner" title={partner} style={{ '--letters': Math.min(partner.length, 14) } as CSSProperties}>
              {partner}
            </span>
          ) : null}
        </p>
        <p className="row-facts" title={plainText(state.detail) || undefined}>
          {/* In the list of transfers that need a person, this label would be on every row. */}
          <span className="state">{whole && state.cause ? state.cause : state.label}</span>
          {state.cause && !whole ? <span className="row-detail">{state.cause}</span> : null}
          {state.cause === '' && state.detail.length > 0 && !whole ? (
            <span className="row-detail">
              <Localized text={state.detail} />
            </span>
          ) : null}
          {facts.map((fact) => (
            <span key={fact} className="fact">
              {fact}
            </span>
          ))}
        </p>
        {whole && state.detail.length > 0 ? (
          <p className="row-whole">
            <Localized text={state.detail} />
          </p>
        ) : null}
      </div>
      <div className="row-progress">
        {isFinished(transfer) ? null : (
          <>
            <span className="row-share">
              <DueSign transfer={transfer} />
              {share === null ? null : (
                <span className="figure" aria-hidden="true">
                  {Math.floor(share * 100)} %
                </span>
              )}
            </span>
            <ProgressBar
              share={share}
              label={row.progress(transfer.name)}
              tone={state.tone === 'bad' ? 'bad' : state.tone === 'moving' && live ? 'moving' : 'waiting'}
            />
          </>
        )}
      </div>
      {ending ? (
        <div className="row-actions">
          <span className="hint">{end === 'cancel' ? undo.rowCancelling : undo.rowRemoving}</span>
          <button
            type="button"
            className="button button-small row-undo"
            tabIndex={tab}
            aria-label={actOn(undo.undo, transfer.name)}
            onClick={ending.undo}
          >
            {undo.undo}
          </button>
        </div>
      ) : (
        <div className="row-actions">
          <Handy transfer={transfer} tab={tab} />
          <RemedyButtons transfer={transfer} only tabIndex={tab} />
          {main && !needs ? (
            <button
              type="button"
              className="button button-quiet button-icon"
              tabIndex={tab}
              title={act[main]}
              aria-label={actOn(act[main], transfer.name)}
              onClick={() => actions.do(`${main}Transfer`, transfer.id)}
            >
              <MainIcon act={main} />
            </button>
          ) : null}
          <button
            type="button"
            className="button button-quiet button-icon row-end"
            tabIndex={tab}
            title={act[end]}
            aria-label={actOn(act[end], transfer.name)}
            onClick={() => actions.end(transfer)}
          >
            <CloseIcon />
          </button>
          <button
            type="button"
            className="button button-quiet button-icon"
            tabIndex={tab}
            aria-haspopup="menu"
            aria-label={row.more(transfer.name)}
            onClick={(event) => onMenu(transfer, event.currentTarget)}
          >
            <MoreIcon />
          </button>
        </div>
      )}
    </div>
  );
});

/** The most useful action for a finished transfer: its link, or its folder. */
function Handy({ transfer, tab }: { transfer: AgentTransfer; tab: number }) {
  const { messages } = useFormat();
  const { act } = messages.transfers;
  const bridge = desktopBridge();
  if (transfer.state !== 'complete') return null;
  if (transfer.kind === 'upload') {
    return transfer.url ? <CopyButton text={transfer.url} label={act.copyLink} about={transfer.name} tabIndex={tab} /> : null;
  }
  return bridge ? (
    <button type="button" className="button button-small" tabIndex={tab} onClick={() => void bridge.revealFolder(transfer.dst_folder)}>
      <FolderIcon /> {act.reveal}
      <span className="visually-hidden">: {transfer.name}</span>
    </button>
  ) : null;
}

function MainIcon({ act }: { act: NonNullable<ReturnType<typeof primaryAction>> }) {
  switch (act) {
    case 'pause':
      return <PauseIcon />;
    case 'resume':
      return <PlayIcon />;
    case 'retry':
      return <RetryIcon />;
    case 'finalize':
      return <FinishIcon />;
  }
}

export function ToneIcon({ tone, kind }: { tone: Tone; kind: AgentTransfer['kind'] }) {
  switch (tone) {
    case 'moving':
    case 'waiting':
    case 'calm':
    case 'good':
      return kind === 'upload' ? <SendIcon /> : <DownloadIcon />;
    case 'bad':
      return <WarnIcon />;
    case 'over':
      return <OverIcon />;
  }
}

/** A placeholder for a row that is not loaded yet. */
export function RowToCome({ current }: { current: boolean }) {
  const { messages } = useFormat();
  return (
    <div className="row row-to-come">
      <span className="visually-hidden" tabIndex={current ? 0 : -1} data-row-focus>
        {messages.transfers.row.loading}
      </span>
      <span className="row-ghost" aria-hidden="true" />
      <span className="row-ghost row-ghost-short" aria-hidden="true" />
    </div>
  );
}
