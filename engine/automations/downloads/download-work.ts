import type { FileSystem } from '#filesystem/port.ts';
import { ApiError } from '#protocol/errors.ts';
import { wordsOf } from '../../errors.ts';
import type { PathGuard } from '../../folders/path-guard.ts';
import { untilDiskAnswers } from '../../folders/until-disk-answers.ts';
import type { Session } from '../../session/session.ts';
import type { DownloadAutomation } from '../record.ts';
import { isUpload } from '../record.ts';
import type { AutomationWork, PassResult, WorkContext } from '../runner/work.ts';
import { needsPerson } from '../uploads/send-package.ts';
import type { ArrivalBell, ArrivalBells } from './arrival-bells.ts';
import { type Arrival, soonestFirst } from './arrivals.ts';
import { type BeginPorts, beginDownload } from './begin-download.ts';
import { type FindPorts, findAll, findNew, noFinds } from './find-arrivals.ts';
import { finishAtService, unfinishedKeys } from './finish-at-service.ts';
import { dropLinkKey } from './link-keys.ts';
import { portalNames } from './portal-names.ts';
import { serviceClockOffset } from './service-time.ts';
import { type SettlePorts, settleDownloads } from './settle-downloads.ts';
import { targetReady } from './target-ready.ts';
import { type TeamService, teamService } from './team-service.ts';

export interface DownloadWorkPorts extends Omit<BeginPorts, 'portalName'>, Omit<FindPorts, 'ledger'>, SettlePorts {
  readonly session: Pick<Session, 'findFor' | 'hosted'>;
  readonly bells: ArrivalBells;
  readonly fileSystem: FileSystem;
  readonly pathGuard: PathGuard;
  /** Milliseconds of a clock that only goes forward. */
  readonly elapsed: () => number;
}

/** Milliseconds between two looks at the new packages, where no bell rings for them. */
const pollMs = 30_000;
/** The same at all of them, in any case. */
const allMs = 600_000;
/**
 * Downloads of one automation that are under way at once. The others wait here, where what ends soon can go first; in the
 * queue they would keep the order in which they came.
 */
const mostUnderWay = 8;

/** What an automation that receives does at each pass: follows its transfers, looks for packages, begins downloads. */
export function createDownloadWork(ports: DownloadWorkPorts, context: Pick<WorkContext, 'wake'>): AutomationWork {
  const { ledger } = ports.store.automations;
  const beginPorts = { ...ports, portalName: portalNames() };
  const findPorts = { ...ports, ledger };
  const finds = noFinds();
  let allAt: number | null = null;
  let isAll = true;
  let known = -1;
  let unfinished: Set<string> | null = null;
  let bell: { readonly of: string; readonly listening: ArrivalBell } | null = null;
  let isTimeless = false;

  const stopListening = (): void => {
    bell?.listening.end();
    bell = null;
  };

  const listen = ({ kind, fields }: DownloadAutomation, { serviceUrl, sessionId }: TeamService): ArrivalBell => {
    const portalId = kind === 'portal_download' ? fields.portal_id : null;
    const of = JSON.stringify([serviceUrl, sessionId, fields.team_id, portalId]);
    if (bell?.of === of) return bell.listening;
    stopListening();
    const listening = ports.bells.listen({ serviceUrl, sessionId, teamId: fields.team_id }, (portalIds) => {
      if (portalIds === null || (portalId === null ? portalIds.size > 0 : portalIds.has(portalId))) context.wake();
    });
    bell = { of, listening };
    return listening;
  };

  /** Without `since` packages count from its making, by the service's clock and not by this machine's. */
  const withTime = async (record: DownloadAutomation, service: TeamService, signal: AbortSignal): Promise<DownloadAutomation> => {
    if (record.fields.since !== undefined || record.facts.since !== undefined || isTimeless) return record;
    const offset = await serviceClockOffset(service, record.fields.team_id, ports.now, signal);
    isTimeless = offset === null;
    if (offset === null) return record;
    const since = record.createdAt + offset;
    ports.store.writer.write(() => ports.patchFacts(record.id, { since }));
    await ports.store.writer.committed();
    return { ...record, facts: { ...record.facts, since } } as DownloadAutomation;
  };

  const entries = ({ id }: DownloadAutomation): number => Object.values(ledger.counts(id)).reduce((sum, count) => sum + count, 0);

  const look = async (record: DownloadAutomation, service: TeamService, signal: AbortSignal): Promise<void> => {
    // Their packages count as new, however old they are.
    const isForgotten = entries(record) < known;
    const isDue = allAt === null || ports.elapsed() - allAt >= allMs || isForgotten || (!isAll && finds.pending.size === 0);
    if (isDue) {
      isAll = await findAll(findPorts, service, record, finds, signal);
      allAt = ports.elapsed();
    } else {
      isAll = (await findNew(findPorts, service, record, finds, signal)) && isAll;
    }
  };

  /** A package that is over by now is passed over; anything else stands in the way of all. */
  const begin = async (record: DownloadAutomation, service: TeamService, arrival: Arrival, signal: AbortSignal): Promise<void> => {
    try {
      await beginDownload(beginPorts, service, record, arrival, signal);
    } catch (cause) {
      if (!isOver(cause)) throw cause;
      ports.store.writer.write(() => {
        const message = `It could not be fetched: ${wordsOf(cause)}`;
        dropLinkKey(ports, record.id, arrival.id);
        ports.store.automations.results.add(record.id, { at: ports.now(), kind: 'failed', name: arrival.name, transferId: '', message });
      });
    }
    finds.pending.delete(arrival.id);
  };

  const finish = async (record: DownloadAutomation, service: TeamService, signal: AbortSignal): Promise<string> => {
    for (const key of unfinished ?? []) {
      try {
        await finishAtService(ports, service, record, key, signal);
        unfinished?.delete(key);
      } catch (cause) {
        signal.throwIfAborted();
        return wordsOf(cause);
      }
    }
    return '';
  };

  const pass = async (asSaved: DownloadAutomation, signal: AbortSignal): Promise<PassResult> => {
    let record = asSaved;
    unfinished ??= await unfinishedKeys(ports, record.id, signal);
    for (const key of settleDownloads(ports, record)) unfinished.add(key);
    await untilDiskAnswers(record.fields.dst_folder, ports.fileSystem);
    signal.throwIfAborted();
    const folder = targetReady(record, ports);
    if (!record.facts.started) {
      ports.store.writer.write(() => ports.patchFacts(record.id, { started: folder }));
      await ports.store.writer.committed();
    }
    const service = await teamService(ports, record, signal);
    const listening = listen(record, service);
    record = await withTime(record, service, signal);
    const obstacle = await finish(record, service, signal);
    await look(record, service, signal);
    for (const arrival of [...finds.pending.values()].toSorted(soonestFirst)) {
      if (ledger.counts(record.id).receiving >= mostUnderWay) break;
      signal.throwIfAborted();
      await begin(record, service, arrival, signal);
    }
    known = entries(record);
    const waiting = finds.pending.size;
    return {
      nextInMs: listening.works && obstacle === '' ? allMs : pollMs,
      waitingFor: waiting === 0 ? '' : `${waiting === 1 ? 'One package waits' : `${waiting} packages wait`} until others are here.`,
      waiting,
      message: obstacle,
      state: obstacle === '' ? 'watching' : 'error',
    };
  };

  return {
    async pass(record, signal) {
      if (isUpload(record)) throw new Error('This is no automation that receives.');
      try {
        return await pass(record, signal);
      } catch (cause) {
        signal.throwIfAborted();
        if (!needsPerson(cause)) throw cause;
        return { nextInMs: pollMs, waitingFor: '', waiting: finds.pending.size, message: wordsOf(cause), state: 'needs_you' };
      }
    },
    async close() {
      stopListening();
    },
  };
}

/** The package ended while it waited here. */
const isOver = (cause: unknown): boolean =>
  cause instanceof ApiError && ['package_expired', 'package_deleted', 'not_found'].includes(cause.error);
