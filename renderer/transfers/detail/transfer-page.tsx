import { lazy, type ReactNode, Suspense } from 'react';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { BackIcon, CloseIcon, FolderIcon } from '#ui/icons.tsx';
import { Notice } from '#ui/notice.tsx';
import { ProgressBar } from '#ui/progress-bar.tsx';
import { TraceId, traceIdLabel } from '#ui/trace-id.tsx';
import { hrefOf } from '../../app/route.ts';
import { desktopBridge } from '../../desktop/bridge.ts';
import { useFaultText } from '../../messages/fault-text.tsx';
import { useFormat } from '../../messages/format.ts';
import { useLocale } from '../../messages/locale.ts';
import { Localized } from '../../messages/localized.tsx';
import { baseName, dropIdOf } from '../../paths/path-text.ts';
import { useUnreachableAddresses, waitsForService } from '../../services/unreachable.ts';
import { useNamedTeams } from '../../session/named-teams.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { isAllowed, primaryAction, removalOf } from '../actions/allowed-actions.ts';
import { usePendingRemoval, useTransferActions } from '../actions/transfer-actions.tsx';
import { describeState, doneShare, factsOf, formatSpeed, isFinished } from '../describe-transfer.ts';
import { useLastList } from '../list/last-list.ts';
import { ToneIcon } from '../list/transfer-row.tsx';
import { RemedyButtons } from '../needs/remedies.tsx';
import { needsPerson } from '../needs/remedy-actions.ts';
import { FileTree, mostInTree } from '../package/file-tree.tsx';
import { SentPackage } from '../package/sent-package.tsx';
import { Deadline } from './deadline.tsx';
import { FileList } from './file-list.tsx';
import { Log } from './log.tsx';
import { OwnLimit } from './own-limit.tsx';
import { Receipt } from './receipt.tsx';
import { useSpeeds, useTransfer } from './use-transfer.ts';
import { WhySlow } from './why-slow.tsx';
import '../../ui/styles/lazy/detail.css';

/** Loaded only when there is something to draw: the first view, the list, has no chart. */
const SpeedChart = lazy(() => import('./speed-chart.tsx'));

/** The page of one transfer. */
export function TransferPage({ id, live }: { id: string; live: boolean }) {
  const { data: transfer, error, refetch } = useTransfer(id);
  const { messages } = useFormat();
  const fault = useFaultText();
  const { detail: texts } = messages.transfers;
  const list = useLastList();
  return (
    <article className="detail">
      <a className="back" href={hrefOf({ name: list })}>
        <BackIcon /> {texts.back}
      </a>
      {transfer === undefined ? <h1>{texts.title}</h1> : null}
      {error && live ? (
        <Notice tone="bad">
          {fault(error)}{' '}
          <button type="button" className="button-link" onClick={() => void refetch()}>
            {messages.app.tryAgain}
          </button>
        </Notice>
      ) : null}
      {transfer === undefined && !(error && live) ? (
        <p className="hint" role="status">
          {error ? messages.app.offline.shows : messages.app.loading}
        </p>
      ) : null}
      {transfer === null ? (
        <section className="empty">
          <h1>{texts.gone.title}</h1>
          <p>{texts.gone.text}</p>
        </section>
      ) : null}
      {transfer ? <Whole key={transfer.id} transfer={transfer} live={live} /> : null}
    </article>
  );
}

function Whole({ transfer, live }: { transfer: AgentTransfer; live: boolean }) {
  const speeds = useSpeeds(transfer.id);
  const format = useFormat();
  const { chart } = format.messages.transfers.detail;
  const limitable = !isFinished(transfer);
  return (
    <>
      <Head transfer={transfer} live={live} />
      <div className="panels">
        <Facts transfer={transfer} />
        {isSent(transfer) ? (
          <SentPackage transfer={transfer} fallback={transfer.links.length > 0 ? <Links transfer={transfer} /> : null} />
        ) : null}
        {isFinished(transfer) && speeds.at.length < 2 ? null : (
          <section className="panel" aria-labelledby="chart-heading">
            <h2 id="chart-heading">{chart.title}</h2>
            {speeds.at.length < 2 ? (
              <p className="hint">{chart.none}</p>
            ) : (
              <Suspense fallback={<div className="speed-chart" />}>
                <SpeedChart speeds={speeds} now={formatSpeed(format, transfer.bytes_per_second)} />
              </Suspense>
            )}
          </section>
        )}
        <WhySlow transfer={transfer} live={live} />
        {limitable ? <Deadline transfer={transfer} /> : null}
        {limitable ? <OwnLimit transfer={transfer} /> : null}
        {transfer.receipt ? <Receipt transfer={transfer} /> : null}
        <Log transfer={transfer} />
        {isFinished(transfer) && transfer.total_files <= mostInTree ? (
          <FileTree transfer={transfer} />
        ) : (
          <FileList transfer={transfer} live={live} />
        )}
      </div>
    </>
  );
}

/** Its package is complete at the service, and its sender's. */
const isSent = ({ kind, state, portal }: AgentTransfer): boolean => kind === 'upload' && state === 'complete' && !portal;

function Head({ transfer, live }: { transfer: AgentTransfer; live: boolean }) {
  const format = useFormat();
  const actions = useTransferActions();
  const ending = usePendingRemoval(transfer.id);
  const cutOff = waitsForService(transfer, useUnreachableAddresses());
  const bridge = desktopBridge();
  const { act, row } = format.messages.transfers;
  const state = describeState(format, transfer, new Date(), cutOff);
  const main = primaryAction(transfer);
  const end = removalOf(transfer);
  const share = doneShare(transfer);
  const shown = transfer.kind === 'download' ? transfer.dst_folder : transfer.paths[0];
  return (
    <header className={`detail-head tone-${state.tone}`}>
      <div className="detail-title">
        <span className="transfer-icon">
          <ToneIcon tone={state.tone} kind={transfer.kind} />
        </span>
        <div>
          <h1>{transfer.name}</h1>
          <p className="row-facts">
            <span className="state">{state.label}</span>
            {state.cause ? <span className="row-detail">{state.cause}</span> : null}
            {factsOf(format, transfer, live).map((fact) => (
              <span key={fact} className="fact">
                {fact}
              </span>
            ))}
          </p>
        </div>
      </div>
      {isFinished(transfer) ? null : (
        <ProgressBar
          share={share}
          label={row.progress(transfer.name)}
          tone={state.tone === 'bad' ? 'bad' : state.tone === 'moving' && live ? 'moving' : 'waiting'}
        />
      )}
      {state.detail.length > 0 ? (
        <p className="transfer-detail">
          <Localized text={state.detail} />
        </p>
      ) : null}
      <div className="detail-acts">
        <RemedyButtons transfer={transfer} />
        {main && !needsPerson(transfer) ? (
          <button type="button" className="button button-primary" onClick={() => actions.do(`${main}Transfer`, transfer.id)}>
            {act[main]}
          </button>
        ) : null}
        {isAllowed(transfer, 'pauseFor') ? (
          <button type="button" className="button" onClick={() => actions.do('pauseTransfer', transfer.id, 1)}>
            {act.pauseFor}
          </button>
        ) : null}
        {isAllowed(transfer, 'priority') ? (
          <select
            className="input"
            aria-label={act.priority}
            value={transfer.priority}
            onChange={(event) => void actions.change(transfer.id, { priority: event.target.value as AgentTransfer['priority'] })}
          >
            {(['high', 'normal', 'low'] as const).map((priority) => (
              <option key={priority} value={priority}>
                {act.priority}: {act[priority]}
              </option>
            ))}
          </select>
        ) : null}
        {bridge && shown ? (
          <button type="button" className="button" onClick={() => void bridge.revealFolder(shown)}>
            <FolderIcon /> {act.reveal}
          </button>
        ) : null}
        <button
          type="button"
          // Removing it from the list deletes nothing.
          className={end === 'cancel' ? 'button button-danger' : 'button'}
          disabled={ending !== null}
          onClick={() => actions.end(transfer)}
        >
          <CloseIcon /> {act[end]}
        </button>
      </div>
    </header>
  );
}

const shownPaths = 5;

function Facts({ transfer }: { transfer: AgentTransfer }) {
  const format = useFormat();
  const { language } = useLocale();
  const teams = useNamedTeams();
  const { detail: texts } = format.messages.transfers;
  const team = teams.find(({ id }) => id === transfer.team_id)?.name;
  const { recipients = [] } = transfer;
  const fact = (name: string, value: ReactNode) => (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
  return (
    <section className="panel" aria-label={transfer.name}>
      <dl className="facts">
        {transfer.kind === 'upload'
          ? fact(
              texts.from,
              <>
                {transfer.paths.slice(0, shownPaths).map((path) => (
                  <span key={path} className="path">
                    {dropIdOf(path) ? `${baseName(path)} (${texts.sentByBrowser})` : path}
                  </span>
                ))}
                {transfer.paths.length > shownPaths ? (
                  <span className="path">{texts.andMore(format.number(transfer.paths.length - shownPaths))}</span>
                ) : null}
              </>,
            )
          : null}
        {transfer.kind === 'download' ? fact(texts.into, transfer.dst_folder) : null}
        {transfer.kind === 'download' ? fact(texts.from, transfer.url) : null}
        {recipients.length > 0 ? fact(texts.to, recipients.join(', ')) : null}
        {transfer.portal ? fact(texts.portal, transfer.portal.name || format.messages.transfers.row.aPortal) : null}
        {transfer.kind === 'upload' && team ? fact(texts.team, team) : null}
        {fact(texts.files, `${format.number(transfer.files)} / ${format.number(transfer.total_files)}`)}
        {fact(texts.size, format.size(transfer.total_bytes))}
        {fact(texts.started, format.dated(transfer.created_at))}
        {transfer.deadline && isFinished(transfer)
          ? fact(texts.deadline.title, `${format.moment(transfer.deadline.due_at)}. ${texts.deadline.state[transfer.deadline.state]}`)
          : null}
        {transfer.error?.trace_id ? fact(traceIdLabel(language), <TraceId id={transfer.error.trace_id} language={language} bare />) : null}
        {transfer.finished_at ? fact(texts.finished, format.dated(transfer.finished_at)) : null}
      </dl>
    </section>
  );
}

function Links({ transfer }: { transfer: AgentTransfer }) {
  const { messages } = useFormat();
  const { links } = messages.transfers.detail;
  return (
    <section className="panel" aria-labelledby="links-heading">
      <h2 id="links-heading">{links.title}</h2>
      <ul className="links">
        {transfer.links.map((link) => (
          <li key={link.url}>
            <span>{link.email || links.anyone}</span>
            <CopyButton text={link.url} label={links.copy} about={links.of(link.email || links.anyoneShort)} />
          </li>
        ))}
      </ul>
    </section>
  );
}
