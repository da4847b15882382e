import { useEffect, useId, useMemo, useState, useSyncExternalStore } from 'react';
import { traceIdToShow } from '#client/trace-id.ts';
import type { PortalCover } from '#protocol/hosted/portals.ts';
import { PauseIcon, PlayIcon } from '#ui/icons.tsx';
import { ProgressBar } from '#ui/progress-bar.tsx';
import { TraceId } from '#ui/trace-id.tsx';
import { type Format, type Messages, useFormat, useLocale } from '../../messages/portal.ts';
import { FileChooser } from '../files/file-chooser.tsx';
import type { ReadEntries } from '../files/read-entries.ts';
import { HandOverPanel, useHandOverTitle } from '../handover/hand-over-panel.tsx';
import { askBeforeUnload, keepSending, sendingOf } from '../keep-sending.ts';
import type { PackageToSend } from '../package-to-send.ts';
import type { Phase, Progress, Sending } from '../sending.ts';
import type { StoredPackage } from '../store.ts';
import { findAgain } from '../unfinished.ts';
import { useSendingEnvironment } from './environment.ts';
import { faultText } from './faults.ts';
import { PortalHead } from './portal-head.tsx';
import { isQuotaFault } from './quota-faults.ts';
import { Receipt } from './receipt.tsx';
import { SendingFiles } from './sending-files.tsx';
import './progress.css';

interface SendingViewProps {
  readonly toSend: PackageToSend;
  /** Null where it is not known any more. */
  readonly portal: Pick<PortalCover, 'name' | 'message'> | null;
  readonly onMore: () => void;
}

/** A package from the start of sending to its receipt. */
export function SendingView({ toSend, portal, onMore }: SendingViewProps) {
  const environment = useSendingEnvironment();
  const sending = useMemo(() => sendingOf(environment, toSend), [environment, toSend]);
  const progress = useSyncExternalStore(sending.subscribe, sending.progress);
  useEffect(() => keepSending(sending, environment.locks), [sending, environment]);
  useEffect(() => toSend.release, [toSend]);
  const moves = !['done', 'failed', 'taken_over'].includes(progress.phase.kind);
  useEffect(() => (moves ? askBeforeUnload() : undefined), [moves]);
  if (progress.phase.kind === 'done') {
    return <Receipt stored={toSend.stored} items={sending.items} at={progress.phase.at} portal={portal} onMore={onMore} />;
  }
  return <SendingProgress sending={sending} progress={progress} stored={toSend.stored} portal={portal} onMore={onMore} />;
}

/** Nothing moves in these phases. */
const waiting: readonly Phase['kind'][] = ['paused', 'offline', 'handing_over'];

interface SendingProgressProps {
  readonly sending: Sending;
  readonly progress: Progress;
  readonly stored: StoredPackage;
  /** Whose page it is, where that is not in sight anyway. */
  readonly portal?: SendingViewProps['portal'];
  /** Leaves a package that cannot go on. */
  readonly onMore: () => void;
  /** Of its title. */
  readonly heading?: 'h1' | 'h2';
}

/** How far a package is, what stands in its way, and what can be done. */
export function SendingProgress({ sending, progress, stored, portal, onMore, heading: Heading = 'h1' }: SendingProgressProps) {
  const id = useId();
  const { trouble } = useSendingEnvironment();
  const { messages, size, files, number, duration } = useFormat();
  const { phase } = progress;
  const share =
    progress.totalBytes > 0 ? progress.bytes / progress.totalBytes : progress.totalFiles > 0 ? progress.files / progress.totalFiles : 1;
  const notKept = trouble();
  const handed = useHandOverTitle(phase.kind, stored.name);
  const title = handed ?? titleOf(phase.kind, stored.name, messages);
  const taken = phase.kind === 'taken_over';
  const facts = [
    messages.sending.progress(size(progress.bytes), size(progress.totalBytes)),
    messages.sending.filesDone(number(progress.files), files(progress.totalFiles)),
    phase.kind === 'sending' && progress.bytesPerSecond > 0 ? messages.sending.speed(size(progress.bytesPerSecond)) : '',
    phase.kind === 'sending' && progress.secondsLeft !== null ? messages.sending.left(duration(progress.secondsLeft)) : '',
  ].filter(Boolean);
  return (
    <section className="card sending-card" aria-labelledby={id}>
      {portal ? <PortalHead cover={portal} aside /> : null}
      <header className="sending-head">
        <Heading id={id} dir="auto">
          {title}
        </Heading>
        {phase.kind === 'sending' || phase.kind === 'offline' ? (
          <button type="button" className="button" onClick={sending.pause}>
            <PauseIcon /> {messages.sending.pause}
          </button>
        ) : null}
        {phase.kind === 'paused' ? (
          <button type="button" className="button button-primary" onClick={sending.start}>
            <PlayIcon /> {messages.sending.goOn}
          </button>
        ) : null}
      </header>
      {taken ? null : (
        <>
          <ProgressBar share={share} label={title} tone={waiting.includes(phase.kind) ? 'waiting' : 'moving'} large />
          <ul className="sending-facts figure">
            {facts.map((fact) => (
              <li key={fact}>{fact}</li>
            ))}
          </ul>
        </>
      )}
      <div role="status">
        <State sending={sending} progress={progress} onMore={onMore} />
      </div>
      <HandOverPanel sending={sending} phase={phase} stored={stored} onMore={onMore} />
      {notKept ? <p className="notice notice-warn">{messages.sending.notKept[notKept]}</p> : null}
      {taken ? null : <SendingFiles sending={sending} progress={progress} />}
      {notKept || phase.kind === 'failed' || handed !== null ? null : <p className="hint">{messages.sending.stayOpen}</p>}
    </section>
  );
}

function titleOf(kind: Phase['kind'], name: string, { sending }: Messages): string {
  if (kind === 'paused') return sending.paused(name);
  return kind === 'stuck' || kind === 'failed' ? sending.waiting(name) : sending.title(name);
}

function State({ sending, progress, onMore }: Pick<SendingProgressProps, 'sending' | 'progress' | 'onMore'>) {
  const format = useFormat();
  const { messages, files } = format;
  const { language } = useLocale();
  const { phase, failed, missing, serviceFull } = progress;
  switch (phase.kind) {
    case 'offline':
      return <p className="notice notice-warn">{messages.sending.offline}</p>;
    case 'handing_over':
    case 'taken_over':
      return null;
    case 'closing':
      return <p className="notice">{messages.sending.closing}</p>;
    case 'failed':
      return (
        <div className="notice notice-bad">
          <div className="note-text">
            <p>
              <strong>{messages.sending.failed}</strong>
            </p>
            <p>{faultText(phase.fault, format)}</p>
            <TraceId id={traceIdToShow(phase.fault)} language={language} />
          </div>
          {phase.retry ? (
            <button type="button" className="button button-small" onClick={sending.start}>
              {messages.tryAgain}
            </button>
          ) : (
            <button type="button" className="button button-small" onClick={onMore}>
              {messages.receipt.more}
            </button>
          )}
        </div>
      );
    default:
      return (
        <>
          {phase.kind === 'sending' && serviceFull ? (
            <div className="notice notice-warn">
              <div className="note-text">
                <p>
                  <strong>{messages.sending.serviceFull.title}</strong>
                </p>
                <p>{messages.sending.serviceFull.text}</p>
              </div>
            </div>
          ) : null}
          {missing > 0 ? <Missing sending={sending} messages={messages.sending.missing(files(missing))} /> : null}
          {phase.kind === 'stuck' && failed > 0 ? (
            <div className="notice notice-bad">
              <div className="note-text">
                <p>{messages.sending.stuck(files(failed))}</p>
                {quotaTexts(sending, format).map((text) => (
                  <p key={text}>{text}</p>
                ))}
                <p>{messages.sending.stuckText}</p>
                <TraceId id={traceIdOf(sending)} language={language} />
              </div>
              <button type="button" className="button button-small" onClick={() => sending.retry()}>
                {messages.sending.retryAll}
              </button>
            </div>
          ) : null}
          {phase.kind === 'stuck' ? <FinishWithout sending={sending} /> : null}
        </>
      );
  }
}

/** Why no more is taken, in whole: a file's row has no room for it on a phone. */
const quotaTexts = ({ items }: Sending, format: Format): readonly string[] => [
  ...new Set(items.flatMap(({ state, fault }) => (state === 'failed' && isQuotaFault(fault) ? [faultText(fault, format)] : []))),
];

/** Of the first file that failed by the service's fault. */
const traceIdOf = ({ items }: Sending): string | undefined =>
  items.flatMap(({ state, fault }) => (state === 'failed' ? [traceIdToShow(fault)] : [])).find(Boolean);

function FinishWithout({ sending }: { sending: Sending }) {
  const format = useFormat();
  const { messages } = format;
  const [fault, setFault] = useState<unknown>(null);
  const finish = async (): Promise<void> => {
    setFault(null);
    await sending.leaveOut().catch(setFault);
  };
  return (
    <>
      <button type="button" className="button button-small finish" onClick={finish}>
        {messages.sending.leaveOutAll}
      </button>
      {fault === null ? null : <p className="field-error">{faultText(fault, format)}</p>}
    </>
  );
}

/** Files that the browser could not keep across a reload. */
function Missing({ sending, messages: title }: { sending: Sending; messages: string }) {
  const { messages } = useFormat();
  const [none, setNone] = useState(false);
  const changed = sending.items.some(({ state, fault }) => state === 'missing' && fault !== null);
  const found = ({ entries }: ReadEntries): void => setNone(sending.supply(findAgain(sending.items, entries)) === 0);
  return (
    <div className="missing">
      <p>
        <strong>{title}</strong>
      </p>
      <p className="hint">{changed ? messages.sending.changedText : messages.sending.missingText}</p>
      <FileChooser small labels={{ files: messages.sending.chooseAgain, folder: messages.sending.chooseFolderAgain }} onEntries={found} />
      {none ? (
        <p className="field-error" role="alert">
          {messages.sending.noMatch}
        </p>
      ) : null}
    </div>
  );
}
