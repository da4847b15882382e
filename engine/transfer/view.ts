import type { TransferDeadline } from '#protocol/agent/deadline.ts';
import type { PersonsRemedy } from '#protocol/agent/remedy.ts';
import type { AgentTransfer, TransferFile } from '#protocol/agent/transfers.ts';
import { AgentError, errorOf } from '#protocol/errors.ts';
import type { TimeSpent } from '../io/time-split.ts';
import type { Activity } from './activity.ts';
import { adviceFor } from './failures.ts';
import {
  type DownloadRecord,
  digestOfFile,
  type FileError,
  type FileRecord,
  packageIdOf,
  recipientsOf,
  type TransferRecord,
} from './record.ts';
import type { Advice, Failure, Waiting } from './state-machine.ts';
import { traceIdOf } from './transfer-trace.ts';

/** What is shown of a transfer beside its record and progress. */
interface Surroundings {
  /** Time by cause of this run; that of its record if absent. */
  readonly spent?: TimeSpent | undefined;
  readonly deadline?: TransferDeadline | null;
  /** Why it waits for another transfer. */
  readonly waiting?: Waiting | null;
  /** What was counted of an upload before its scan, in bytes; null if nothing was. */
  readonly expectedBytes?: number | null;
}

/** A transfer as the local API shows it: the record with its live progress. */
export function transferView(
  record: TransferRecord,
  activity: Activity | null,
  now: number,
  { spent = record.timeSpent, deadline = null, waiting = null, expectedBytes = null }: Surroundings = {},
): AgentTransfer {
  const { phase } = record;
  const upload = record.kind === 'upload' ? record : null;
  const download = record.kind === 'download' ? record : null;
  const links = upload?.secrets.links ?? [];
  return {
    ...progressView(record, activity),
    kind: record.kind,
    name: record.name,
    team_id: upload?.request.teamId ?? '',
    ...(upload?.request.portal ? { portal: { id: upload.request.portal.id, name: upload.request.portal.name ?? '' } } : {}),
    service_url: record.request.serviceUrl,
    ...(record.request.automationId === undefined ? {} : { automation_id: record.request.automationId }),
    package_id: packageIdOf(record),
    ...(upload?.facts.packagesUnknown ? { packages_lost: upload.facts.packagesUnknown } : {}),
    url: (download ? linkOf(download) : links[0]?.url) ?? '',
    links: links.map(({ email, url }) => ({ email, url })),
    ...(upload ? { recipients: recipientsOf(upload) } : {}),
    dst_folder: download ? download.facts.root || (download.facts.folder ?? download.request.dstFolder) : '',
    paths: upload ? [...upload.request.paths, ...upload.added] : [],
    priority: record.priority,
    position: record.position,
    rate_limit_bps: record.rateLimit,
    bytes_per_second: activity ? Math.round(activity.speed(now)) : 0,
    seconds_left: secondsLeft(record, activity, expectedBytes, now),
    ...(spent ? { time_spent: timeView(spent) } : {}),
    ...(activity?.finishing ? { finishing: true } : {}),
    ...(phase.state === 'transferring' && (activity?.starting ?? true) ? { starting: true } : {}),
    waiting: waitingView(pauseOf(record) ?? activity?.waiting() ?? waiting),
    ...(deadline ? { deadline } : {}),
    error: phase.state === 'error' ? failureView(phase.failure, record) : null,
    created_at: iso(record.createdAt),
    updated_at: iso(record.updatedAt),
    receipt: Boolean(record.facts.receipt),
    finished_at: 'finishedAt' in phase ? iso(phase.finishedAt) : null,
  };
}

/** What of the view says how far it is. */
export function progressView(record: TransferRecord, activity: Activity | null) {
  return {
    id: record.id,
    state: record.phase.state,
    bytes: Math.min(activity?.shown.bytes ?? record.bytes, record.totalBytes),
    total_bytes: record.totalBytes,
    files: activity?.shown.files ?? record.files,
    total_files: record.totalFiles,
    ...(totalGrows(record) ? { total_grows: true } : {}),
  };
}

function linkOf({ request: { source } }: DownloadRecord): string | undefined {
  return source.kind === 'link' ? source.shownUrl : undefined;
}

/** Whether more may be found to send. */
function totalGrows(record: TransferRecord): boolean {
  if (record.kind === 'download' || record.phase.state === 'complete' || record.phase.state === 'cancelled') return false;
  return !record.facts.scanned || record.facts.collecting === true || record.request.growing !== undefined;
}

function secondsLeft(record: TransferRecord, activity: Activity | null, expectedBytes: number | null, now: number): number | null {
  if (record.phase.state === 'complete' || record.phase.state === 'idle') return 0;
  if (totalGrows(record) && expectedBytes === null) return null;
  const total = Math.max(record.totalBytes, expectedBytes ?? 0);
  const seconds = activity?.secondsLeft(total - activity.bytes, now) ?? null;
  return seconds === null ? null : Math.round(seconds * 10) / 10;
}

function pauseOf({ phase }: TransferRecord): Waiting | null {
  return phase.state === 'paused' && phase.until !== null
    ? { reason: 'Paused for a while; it goes on by itself.', until: phase.until }
    : null;
}

function timeView({ slowest, ...milliseconds }: TimeSpent): NonNullable<AgentTransfer['time_spent']> {
  const seconds = Object.entries(milliseconds).map(([cause, time]) => [cause, time / 1_000]);
  return { ...(Object.fromEntries(seconds) as Record<keyof typeof milliseconds, number>), slowest };
}

function waitingView(waiting: Waiting | null): AgentTransfer['waiting'] {
  if (!waiting) return null;
  const { reason, until, advice } = waiting;
  return { reason, ...(until === null ? {} : { until: iso(until) }), ...adviceView(advice) };
}

/** A failure saved without advice by an earlier version gets the advice of its code. */
function failureView(
  { code, message, retryable, ...saved }: Failure,
  { id }: Pick<TransferRecord, 'id'>,
): NonNullable<AgentTransfer['error']> {
  return { code, message, retryable, ...adviceView(isAdvice(saved) ? saved : adviceOf(code)), trace_id: traceIdOf(id) };
}

const isAdvice = (advice: Partial<Advice>): advice is Advice => advice.remedy !== undefined;

function adviceOf(code: number): Advice {
  return adviceFor(new AgentError(errorOf(code) ?? 'agent_fault'));
}

function adviceView(advice: Advice | undefined): { cause?: string; remedy?: PersonsRemedy; needs_person?: boolean } {
  return advice ? { cause: advice.cause, remedy: advice.remedy, needs_person: advice.needsPerson } : {};
}

/** A file of a transfer as the local API shows it. */
export function fileView(file: FileRecord & { readonly bytes: number }, activity: Activity | null): TransferFile {
  const underWay = activity?.fileBytes(file.id) ?? null;
  const digest = digestOfFile(file);
  const waits = file.state === 'pending' || file.state === 'growing';
  const state = !waits ? file.state : underWay === null ? 'pending' : 'transferring';
  return {
    id: String(file.id),
    name: file.name,
    path: file.path,
    kind: file.kind,
    size: file.size,
    bytes: underWay ?? file.bytes,
    state,
    ...(digest === undefined ? {} : { digest }),
    error: file.error ? fileErrorView(file.error) : null,
  };
}

function fileErrorView({ code, message, ...advice }: FileError): NonNullable<TransferFile['error']> {
  return { code, message, ...adviceView(isAdvice(advice) ? advice : adviceOf(code)) };
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
