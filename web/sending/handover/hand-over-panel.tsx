import { lazy, Suspense } from 'react';
import { traceIdToShow } from '#client/trace-id.ts';
import { CheckIcon } from '#ui/icons.tsx';
import { TraceId } from '#ui/trace-id.tsx';
import { HandoverLink } from '../../common/handover/handover-link.tsx';
import { handoverMessages } from '../../messages/handover.ts';
import { useFormat, useLocale } from '../../messages/portal.ts';
import type { Sending } from '../sending.ts';
import type { Phase } from '../sending-types.ts';
import type { StoredPackage } from '../store.ts';
import { useSendingEnvironment } from '../view/environment.ts';
import { faultText } from '../view/faults.ts';
import { type HandOverState, useHandOver } from './use-hand-over.ts';
import './hand-over.css';

interface HandOverPanelProps {
  readonly sending: Sending;
  readonly phase: Phase;
  readonly stored: StoredPackage;
  /** Leaves a package that an app has finished. */
  readonly onMore: () => void;
}

const AppProgressView = lazy(() => import('./app-progress-view.tsx'));

/** The title of a package that is handed over; null for any other. */
export function useHandOverTitle(kind: Phase['kind'], name: string): string | null {
  const texts = handoverMessages[useLocale().language];
  if (kind === 'handing_over') return texts.waiting(name);
  return kind === 'taken_over' ? texts.taken(name) : null;
}

const offered: readonly Phase['kind'][] = ['sending', 'offline', 'paused', 'stuck'];

/** The way of a package from this page into the app. */
export function HandOverPanel({ sending, phase, stored, onMore }: HandOverPanelProps) {
  const { state, begin, back } = useHandOver(sending, stored);
  const { language } = useLocale();
  const texts = handoverMessages[language];
  const format = useFormat();
  if (state.kind === 'none') {
    if (!offered.includes(phase.kind)) return null;
    return (
      <div className="hand-over-offer">
        <button type="button" className="button button-small" onClick={begin}>
          {texts.button}
        </button>
        <p className="hint">{texts.hint}</p>
      </div>
    );
  }
  if (state.kind === 'taken') return <Taken state={state} sending={sending} stored={stored} onMore={onMore} />;
  return (
    <div className="hand-over-panel" role="status">
      {state.kind === 'making' ? <p>{texts.making}</p> : null}
      {state.kind === 'waiting' ? <Waiting link={state.link} /> : null}
      {state.kind === 'ended' ? <p className="notice notice-warn">{texts.ended}</p> : null}
      {state.kind === 'failed' ? (
        <p className="notice notice-bad">
          <span className="note-text">
            {texts.failed(faultText(state.fault, format))} <TraceId id={traceIdToShow(state.fault)} language={language} />
          </span>
        </p>
      ) : null}
      {state.kind === 'making' ? null : (
        <div className="note-buttons">
          {state.kind === 'waiting' ? null : (
            <button type="button" className="button button-primary" onClick={begin}>
              {texts.again}
            </button>
          )}
          <button type="button" className="button" onClick={back}>
            {texts.back}
          </button>
        </div>
      )}
    </div>
  );
}

/** The link for the app, and the command with it. */
function Waiting({ link }: { readonly link: string }) {
  const { api } = useSendingEnvironment();
  const { language } = useLocale();
  return (
    <>
      <p>{handoverMessages[language].text}</p>
      <HandoverLink link={link} baseUrl={api.baseUrl} language={language} />
    </>
  );
}

interface TakenProps {
  readonly state: Extract<HandOverState, { kind: 'taken' }>;
  readonly sending: Sending;
  readonly stored: StoredPackage;
  readonly onMore: () => void;
}

/** How far the app has come. */
function Taken({ state: { seen }, sending, stored, onMore }: TakenProps) {
  const texts = handoverMessages[useLocale().language];
  const { files, size } = useFormat();
  const { name } = stored;
  const isOver = seen !== null && seen.package_state !== 'new';
  return (
    <div className="hand-over-panel hand-over-taken">
      {seen?.package_state === 'finalized' ? (
        <>
          <p className="hand-over-done" role="status">
            <CheckIcon /> <strong dir="auto">{texts.complete(name)}</strong>
          </p>
          <p>{texts.completeText(files(seen.files.total), size(seen.bytes.total))}</p>
        </>
      ) : isOver ? (
        <p className="notice notice-warn">{texts.gone}</p>
      ) : (
        <>
          <p>{texts.takenText}</p>
          {seen ? (
            <Suspense>
              <AppProgressView sending={sending} seen={seen} label={texts.taken(name)} />
            </Suspense>
          ) : null}
        </>
      )}
      <div className="note-buttons">
        <button type="button" className="button" onClick={onMore}>
          {texts.more}
        </button>
      </div>
    </div>
  );
}
