import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { PauseIcon, PlayIcon } from '#ui/icons.tsx';
import { ProgressBar } from '#ui/progress-bar.tsx';
import { takeLock } from '../../common/locks.ts';
import type { Messages } from '../../messages/portal.ts';
import { useFormat } from '../../messages/portal.ts';
import { FileChooser } from '../files/file-chooser.tsx';
import type { ReadEntries } from '../files/read-entries.ts';
import { lockOf, type PackageToSend } from '../sending/package-to-send.ts';
import { createSending, type Phase, type Progress, type Sending } from '../sending/sending.ts';
import { shared } from '../sending/shared.ts';
import type { StoredPackage } from '../sending/store.ts';
import { findAgain } from '../sending/unfinished.ts';
import { type PageEnvironment, usePageEnvironment } from './environment.ts';
import { faultText } from './faults.ts';
import { Receipt } from './receipt.tsx';
import { SendingFiles } from './sending-files.tsx';

function sendingOf({ api, fetcher, store }: PageEnvironment, { stored, items }: PackageToSend): Sending {
  return createSending(
    {
      api: api.as({ kind: 'package', token: stored.token }),
      fetcher,
      store,
      ...shared,
      random: Math.random,
      now: () => performance.now(),
      every(milliseconds, work) {
        const timer = setInterval(work, milliseconds);
        return () => clearInterval(timer);
      },
    },
    stored.id,
    items,
  );
}

interface SendingViewProps {
  readonly toSend: PackageToSend;
  readonly portalName: string;
  readonly onMore: () => void;
}

/** A package from the start of sending to its receipt. */
export function SendingView({ toSend, portalName, onMore }: SendingViewProps) {
  const environment = usePageEnvironment();
  const sending = useMemo(() => sendingOf(environment, toSend), [environment, toSend]);
  const progress = useSyncExternalStore(sending.subscribe, sending.progress);
  useSendingWhileMounted(sending, toSend, environment);
  useAskBeforeUnload(progress);
  if (progress.phase.kind === 'done') {
    return <Receipt stored={toSend.stored} items={sending.items} at={progress.phase.at} portalName={portalName} onMore={onMore} />;
  }
  return <Moving sending={sending} progress={progress} stored={toSend.stored} onMore={onMore} />;
}

/** Sends while the view is mounted, under a lock against other tabs. */
function useSendingWhileMounted(sending: Sending, { stored, release }: PackageToSend, { locks }: PageEnvironment): void {
  useEffect(() => {
    let own: (() => void) | null = null;
    void takeLock(lockOf(stored.id), locks).then((taken) => {
      own = taken;
    });
    sending.start();
    const online = (): void => sending.online(navigator.onLine);
    online();
    window.addEventListener('online', online);
    window.addEventListener('offline', online);
    return () => {
      window.removeEventListener('online', online);
      window.removeEventListener('offline', online);
      sending.stop();
      own?.();
    };
  }, [sending, stored, locks]);
  useEffect(() => release, [release]);
}

/** Warns before the tab is closed during a transfer. */
function useAskBeforeUnload({ phase }: Progress): void {
  const moving = phase.kind !== 'done' && phase.kind !== 'failed';
  useEffect(() => {
    if (!moving) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [moving]);
}

interface MovingProps {
  readonly sending: Sending;
  readonly progress: Progress;
  readonly stored: StoredPackage;
  readonly onMore: () => void;
}

function Moving({ sending, progress, stored, onMore }: MovingProps) {
  const { trouble } = usePageEnvironment();
  const { messages, size, files, number, duration } = useFormat();
  const { phase } = progress;
  const share =
    progress.totalBytes > 0 ? progress.bytes / progress.totalBytes : progress.totalFiles > 0 ? progress.files / progress.totalFiles : 1;
  const notKept = trouble();
  const title = titleOf(phase.kind, stored.name, messages);
  const facts = [
    messages.sending.progress(size(progress.bytes), size(progress.totalBytes)),
    messages.sending.filesDone(number(progress.files), files(progress.totalFiles)),
    phase.kind === 'sending' && progress.bytesPerSecond > 0 ? messages.sending.speed(size(progress.bytesPerSecond)) : '',
    phase.kind === 'sending' && progress.secondsLeft !== null ? messages.sending.left(duration(progress.secondsLeft)) : '',
  ].filter(Boolean);
  return (
    <section className="card portal-card" aria-labelledby="sending-title">
      <header className="sending-head">
        <h1 id="sending-title" dir="auto">
          {title}
        </h1>
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
      <ProgressBar share={share} label={title} tone={phase.kind === 'paused' || phase.kind === 'offline' ? 'waiting' : 'moving'} large />
      <ul className="sending-facts figure">
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
      <div role="status">
        <State sending={sending} progress={progress} onMore={onMore} />
      </div>
      {notKept ? <p className="notice notice-warn">{messages.sending.notKept[notKept]}</p> : null}
      <SendingFiles sending={sending} progress={progress} />
      {notKept || phase.kind === 'failed' ? null : <p className="hint">{messages.sending.stayOpen}</p>}
    </section>
  );
}

function titleOf(kind: Phase['kind'], name: string, { sending }: Messages): string {
  if (kind === 'paused') return sending.paused(name);
  return kind === 'stuck' || kind === 'failed' ? sending.waiting(name) : sending.title(name);
}

function State({ sending, progress, onMore }: Omit<MovingProps, 'stored'>) {
  const { messages, files } = useFormat();
  const { phase, failed, missing, serviceFull } = progress;
  switch (phase.kind) {
    case 'offline':
      return <p className="notice notice-warn">{messages.sending.offline}</p>;
    case 'closing':
      return <p className="notice">{messages.sending.closing}</p>;
    case 'failed':
      return (
        <div className="notice notice-bad">
          <div className="note-text">
            <p>
              <strong>{messages.sending.failed}</strong>
            </p>
            <p>{faultText(phase.fault, messages)}</p>
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
                <p>{messages.sending.stuckText}</p>
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

function FinishWithout({ sending }: { sending: Sending }) {
  const { messages } = useFormat();
  const [problem, setProblem] = useState('');
  const finish = async (): Promise<void> => {
    setProblem('');
    await sending.leaveOut().catch((error: unknown) => setProblem(faultText(error, messages)));
  };
  return (
    <>
      <button type="button" className="button button-small finish" onClick={finish}>
        {messages.sending.leaveOutAll}
      </button>
      {problem ? <p className="field-error">{problem}</p> : null}
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
