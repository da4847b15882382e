import { stageOf } from '#protocol/agent/progress.ts';
import type { TransferSummary } from '#protocol/agent/transfer-actions.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { causeText } from '../messages/cause-text.ts';
import type { Format } from '../messages/format.ts';
import { asSentence, errorText, type LocalizedText, phraseText, plainText } from '../messages/localized-text.ts';
import { serviceName } from '../session/service-address.ts';
import { needsPerson } from './needs/remedy-actions.ts';

/** The texts about a transfer, in the page's language. Pure: the clock is a parameter. */

export type TransferFormat = Pick<Format, 'messages' | 'number' | 'size' | 'files'> & {
  readonly moment: (iso: string) => string;
  /** Where the day has to stand there, too; by default as `moment`. */
  readonly dated?: (iso: string) => string;
};

/** `112 MB/s`. */
export function formatSpeed(format: TransferFormat, bytesPerSecond: number): string {
  return format.messages.transfers.perSecond(format.size(Math.round(bytesPerSecond)));
}

/** `45 s left`, `12 min left`, `3 h 20 min left`. */
export function formatTimeLeft({ messages, number }: TransferFormat, seconds: number): string {
  const { left } = messages.transfers;
  if (seconds < 1) return left.almost;
  if (seconds < 90) return left.seconds(number(Math.ceil(seconds)));
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 90) return left.minutes(number(minutes));
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return left.days(number(Math.round(hours / 24)));
  return minutes % 60 === 0 ? left.hours(number(hours)) : left.hoursMinutes(number(hours), number(minutes % 60));
}

/** How long something took: `45 s`, `12 min`, `3 h 20 min`. */
export function formatDuration({ messages, number }: TransferFormat, seconds: number): string {
  const { duration } = messages.transfers;
  if (seconds < 90) return duration.seconds(number(seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)));
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? duration.minutes(number(minutes)) : duration.hours(number(Math.floor(minutes / 60)), number(minutes % 60));
}

export const isFinished = ({ state }: AgentTransfer): boolean => state === 'complete' || state === 'cancelled';

/**
 * How much is done, 0 to 1; null while the total still grows, since a share of it would go back. A package without bytes
 * counts its files; only `complete` is ever 1.
 */
export function doneShare(transfer: AgentTransfer): number | null {
  if (transfer.state === 'complete') return 1;
  if (transfer.total_grows) return null;
  if (transfer.share !== undefined) return transfer.share;
  const share = transfer.total_bytes > 0 ? transfer.bytes / transfer.total_bytes : transfer.files / Math.max(1, transfer.total_files);
  return Math.min(0.999, Math.max(0, share));
}

/** The look of a state: running, held up, at rest as intended, finished well, failed, cancelled. */
export type Tone = 'moving' | 'waiting' | 'calm' | 'good' | 'bad' | 'over';

interface StateDescription {
  readonly tone: Tone;
  /** One or two words. */
  readonly label: string;
  /** What went wrong, in two or three words; empty if there is no short text. */
  readonly cause: string;
  /** Why it is in this state, and what to do; empty if the label is enough. */
  readonly detail: LocalizedText;
}

/** The texts of a state. `now` dates the next attempt; `cutOff` means that the service cannot be reached. */
export function describeState(format: TransferFormat, transfer: AgentTransfer, now: Date, cutOff = false): StateDescription {
  return { ...stateText(format, transfer, now, cutOff), cause: cutOff ? '' : shortCause(format, transfer) };
}

function shortCause({ messages }: TransferFormat, { state, error, waiting }: AgentTransfer): string {
  if (state === 'error') return error ? causeText(error, messages) : '';
  return waiting ? causeText({ cause: waiting.cause, message: waiting.reason }, messages) : '';
}

function stateText(format: TransferFormat, transfer: AgentTransfer, now: Date, cutOff: boolean): Omit<StateDescription, 'cause'> {
  const { state, why } = format.messages.transfers;
  if (cutOff) return { tone: 'waiting', label: state.waiting, detail: own(why.unreachable(serviceName(transfer.service_url ?? ''))) };
  const up = transfer.kind === 'upload';
  const waiting = transfer.waiting ? waitingText(format, transfer.waiting, now) : [];
  const waits = waiting.length > 0;
  const otherwise = (text: string): LocalizedText => (waits ? waiting : own(text));
  switch (transfer.state) {
    case 'queued':
      return { tone: waits ? 'waiting' : 'calm', label: state.queued, detail: otherwise(why.queued) };
    case 'transferring':
      if (waits) {
        const stuck = needsPerson(transfer);
        return { tone: stuck ? 'bad' : 'waiting', label: stuck ? state.needsYou : state.waiting, detail: waiting };
      }
      return movingText(format, transfer);
    case 'paused':
      if (transfer.finishing) return { tone: 'moving', label: state.finishing, detail: own(why.finishing) };
      return {
        tone: 'waiting',
        label: state.paused,
        detail: transfer.waiting?.until ? own(why.pausedUntil(format.moment(transfer.waiting.until))) : waiting,
      };
    case 'idle':
      return { tone: waits ? 'waiting' : 'calm', label: state.idle, detail: otherwise(why.idle) };
    case 'complete':
      return { tone: 'good', label: up ? state.sent : state.received, detail: [] };
    case 'error':
      return { tone: 'bad', label: state.failed, detail: transferErrorText(format, transfer) };
    case 'cancelled':
      return { tone: 'over', label: state.cancelled, detail: [] };
  }
}

/** A transfer that moves no bytes is never called sending. */
function movingText({ messages }: TransferFormat, transfer: AgentTransfer): Omit<StateDescription, 'cause'> {
  const { state, why } = messages.transfers;
  switch (stageOf(transfer)) {
    case 'moving':
      return { tone: 'moving', label: transfer.kind === 'upload' ? state.sending : state.receiving, detail: [] };
    case 'preparing':
      return { tone: 'calm', label: state.preparing, detail: [] };
    case 'starting':
      return { tone: 'calm', label: state.starting, detail: [] };
    case 'closing':
      return { tone: 'moving', label: state.closing, detail: [] };
    case 'standing':
      return { tone: 'waiting', label: state.waiting, detail: own(why.standing) };
  }
}

/** Why it waits, and the time of the next attempt if that is more than two minutes away. */
function waitingText(format: TransferFormat, { reason, until }: NonNullable<AgentTransfer['waiting']>, now: Date): LocalizedText {
  const said = asSentence(phraseText(reason, format.messages));
  const far = until !== undefined && Date.parse(until) - now.getTime() > 120_000;
  return far ? [...said, ...own(` ${format.messages.transfers.why.nextTry(format.moment(until))}`)] : said;
}

const own = (text: string): LocalizedText => [{ text, english: false }];

function transferErrorText({ messages }: Pick<TransferFormat, 'messages'>, { error }: AgentTransfer): LocalizedText {
  return error ? asSentence(errorText(error, messages)) : own(messages.transfers.why.noReason);
}

/** The figures beside the state, the most important first. `live` means that events arrive, so that speed and time left are current. */
export function factsOf(format: TransferFormat, transfer: AgentTransfer, live: boolean): string[] {
  const { of, ofMore } = format.messages.transfers;
  if (isFinished(transfer)) {
    const facts = [format.files(transfer.total_files), format.size(transfer.total_bytes)];
    if (transfer.finished_at) facts.push((format.dated ?? format.moment)(transfer.finished_at));
    return facts;
  }
  if (transfer.state === 'queued' && transfer.bytes === 0) {
    return transfer.total_files === 0 ? [] : [format.files(transfer.total_files), format.size(transfer.total_bytes)];
  }
  const whole = transfer.total_grows ? ofMore : of;
  const facts = [
    transfer.total_bytes > 0 ? whole(format.size(transfer.bytes), format.size(transfer.total_bytes)) : format.files(transfer.total_files),
  ];
  if (!live || transfer.state !== 'transferring' || transfer.waiting) return facts;
  if (transfer.bytes_per_second > 0) facts.push(formatSpeed(format, transfer.bytes_per_second));
  if (transfer.seconds_left !== null) facts.push(formatTimeLeft(format, transfer.seconds_left));
  return facts;
}

/** The other side: whom an upload goes to, or its Team or Portal; the service of a download. */
export function describePartner(
  { messages, number }: TransferFormat,
  transfer: AgentTransfer,
  teamName: (id: string) => string | undefined,
): string {
  const { row } = messages.transfers;
  if (transfer.portal) return transfer.portal.name ? row.portal(transfer.portal.name) : row.aPortal;
  if (transfer.kind === 'upload') return recipientsText({ messages, number }, transfer) || (teamName(transfer.team_id) ?? '');
  return URL.parse(transfer.url)?.host ?? '';
}

/** Whom an upload goes to: `post@studio.example, colour@studio.example and 3 more`; empty where nobody is named. */
export function recipientsText(
  { messages, number }: Pick<TransferFormat, 'messages' | 'number'>,
  { recipients = [] }: AgentTransfer,
): string {
  const shown = recipients.slice(0, shownRecipients).join(', ');
  const more = recipients.length - shownRecipients;
  return more > 0 ? messages.transfers.row.andMore(shown, number(more)) : shown;
}

const shownRecipients = 2;

/** The text that a screen reader reads when a transfer changes its state; empty if there is no need for one. */
export function announcement(
  format: Pick<TransferFormat, 'messages'>,
  before: AgentTransfer['state'] | undefined,
  transfer: AgentTransfer,
): string {
  const { hear } = format.messages.transfers;
  if (before === undefined || before === transfer.state) return '';
  if (transfer.state === 'complete') return transfer.kind === 'upload' ? hear.sent(transfer.name) : hear.received(transfer.name);
  if (transfer.state === 'error')
    return hear.failed(transfer.name, transfer.error ? plainText(asSentence(errorText(transfer.error, format.messages))) : '');
  return transfer.state === 'cancelled' ? hear.cancelled(transfer.name) : '';
}

/** The remaining bytes of all transfers, their speed, and how many are not scanned yet; empty if nothing is left. */
export function describeTotals(format: TransferFormat, summary: TransferSummary, live: boolean): string {
  const { bytes_left: left, upload_bps: up, download_bps: down, unmeasured = 0 } = summary;
  const { together, toGo, unmeasured: notYet, andUnmeasured } = format.messages.transfers;
  const more = unmeasured > 0 ? notYet(format.number(unmeasured)) : '';
  if (left === 0) return more;
  const speed = up + down;
  const known = live && speed > 0 ? together(format.size(left), formatSpeed(format, speed)) : toGo(format.size(left));
  return more === '' ? known : andUnmeasured(known, more);
}
