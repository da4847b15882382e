import type { TransferSummary } from '#protocol/agent/many-transfers.ts';
import { stageOf } from '#protocol/agent/progress.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { causeWords } from '../messages/causes.ts';
import { failureWords, phraseWords, plain, type Said, sentenced } from '../messages/said.ts';
import type { Speaking } from '../messages/speaking.ts';
import { serviceName } from '../session/service-address.ts';
import { needsPerson } from './needs/ways.ts';

/** Everything that a transfer says to a person, in the page's language. Pure: the clock comes in. */

export type Say = Pick<Speaking, 'messages' | 'number' | 'size' | 'files'> & { readonly moment: (iso: string) => string };

/** `112 MB/s`. */
export function speedWords(say: Say, bytesPerSecond: number): string {
  return say.messages.transfers.perSecond(say.size(Math.round(bytesPerSecond)));
}

/** `45 s left`, `12 min left`, `3 h 20 min left`. */
export function timeLeftWords({ messages, number }: Say, seconds: number): string {
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
export function durationWords({ messages, number }: Say, seconds: number): string {
  const { duration } = messages.transfers;
  if (seconds < 90) return duration.seconds(number(seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)));
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? duration.minutes(number(minutes)) : duration.hours(number(Math.floor(minutes / 60)), number(minutes % 60));
}

export const isFinished = ({ state }: AgentTransfer): boolean => state === 'complete' || state === 'cancelled';

/** How much is done, 0 to 1. A package without bytes counts its files; only `complete` is ever 1. */
export function doneShare(transfer: AgentTransfer): number {
  if (transfer.state === 'complete') return 1;
  const share = transfer.total_bytes > 0 ? transfer.bytes / transfer.total_bytes : transfer.files / Math.max(1, transfer.total_files);
  return Math.min(0.999, Math.max(0, share));
}

/** How a state looks: it moves, it is held up, it stands as it should, it is good, it failed, it is over. */
export type Tone = 'moving' | 'waiting' | 'calm' | 'good' | 'bad' | 'over';

export interface StateWords {
  readonly tone: Tone;
  /** One or two words. */
  readonly label: string;
  /** What went wrong, in two or three words; empty where there are none for it. */
  readonly cause: string;
  /** A sentence about why, and what to do; empty where the label says all. */
  readonly detail: Said;
}

/** The state in words. `now` dates the next attempt; `cutOff`: it waits for a service that cannot be reached. */
export function stateWords(say: Say, transfer: AgentTransfer, now: Date, cutOff = false): StateWords {
  return { ...standing(say, transfer, now, cutOff), cause: cutOff ? '' : shortCause(say, transfer) };
}

function shortCause({ messages }: Say, { state, error, waiting }: AgentTransfer): string {
  if (state === 'error') return error ? causeWords(error, messages) : '';
  return waiting ? causeWords({ cause: waiting.cause, message: waiting.reason }, messages) : '';
}

function standing(say: Say, transfer: AgentTransfer, now: Date, cutOff: boolean): Omit<StateWords, 'cause'> {
  const { state, why } = say.messages.transfers;
  if (cutOff) return { tone: 'waiting', label: state.waiting, detail: own(why.unreachable(serviceName(transfer.service_url ?? ''))) };
  const up = transfer.kind === 'upload';
  const waiting = transfer.waiting ? waitingWords(say, transfer.waiting, now) : [];
  const waits = waiting.length > 0;
  const otherwise = (text: string): Said => (waits ? waiting : own(text));
  switch (transfer.state) {
    case 'queued':
      return { tone: waits ? 'waiting' : 'calm', label: state.queued, detail: otherwise(why.queued) };
    case 'transferring':
      if (waits) {
        const stuck = needsPerson(transfer);
        return { tone: stuck ? 'bad' : 'waiting', label: stuck ? state.needsYou : state.waiting, detail: waiting };
      }
      return underWay(say, transfer);
    case 'paused':
      if (transfer.finishing) return { tone: 'moving', label: state.finishing, detail: own(why.finishing) };
      return {
        tone: 'waiting',
        label: state.paused,
        detail: transfer.waiting?.until ? own(why.pausedUntil(say.moment(transfer.waiting.until))) : waiting,
      };
    case 'idle':
      return { tone: waits ? 'waiting' : 'calm', label: state.idle, detail: otherwise(why.idle) };
    case 'complete':
      return { tone: 'good', label: up ? state.sent : state.received, detail: [] };
    case 'error':
      return { tone: 'bad', label: state.failed, detail: errorWords(say, transfer) };
    case 'cancelled':
      return { tone: 'over', label: state.cancelled, detail: [] };
  }
}

/** What moves nothing is never called sending. */
function underWay({ messages }: Say, transfer: AgentTransfer): Omit<StateWords, 'cause'> {
  const { state, why } = messages.transfers;
  switch (stageOf(transfer)) {
    case 'moving':
      return { tone: 'moving', label: transfer.kind === 'upload' ? state.sending : state.receiving, detail: [] };
    case 'preparing':
      return { tone: 'calm', label: state.preparing, detail: [] };
    case 'closing':
      return { tone: 'moving', label: state.closing, detail: [] };
    case 'standing':
      return { tone: 'waiting', label: state.waiting, detail: own(why.standing) };
  }
}

/** Why it waits; and when it goes on, if that is so far off that the reason's own seconds say little. */
function waitingWords(say: Say, { reason, until }: NonNullable<AgentTransfer['waiting']>, now: Date): Said {
  const said = sentenced(phraseWords(reason, say.messages));
  const far = until !== undefined && Date.parse(until) - now.getTime() > 120_000;
  return far ? [...said, ...own(` ${say.messages.transfers.why.nextTry(say.moment(until))}`)] : said;
}

const own = (text: string): Said => [{ text, english: false }];

function errorWords({ messages }: Pick<Say, 'messages'>, { error }: AgentTransfer): Said {
  return error ? sentenced(failureWords(error, messages)) : own(messages.transfers.why.noReason);
}

/** The figures beside the state, most telling first. `live`: the page hears from the agent, so speed and time left are true. */
export function factsOf(say: Say, transfer: AgentTransfer, live: boolean): string[] {
  const { of } = say.messages.transfers;
  if (isFinished(transfer)) {
    const facts = [say.files(transfer.total_files), say.size(transfer.total_bytes)];
    if (transfer.finished_at) facts.push(say.moment(transfer.finished_at));
    return facts;
  }
  if (transfer.state === 'queued' && transfer.bytes === 0) {
    return transfer.total_files === 0 ? [] : [say.files(transfer.total_files), say.size(transfer.total_bytes)];
  }
  const facts = [transfer.total_bytes > 0 ? of(say.size(transfer.bytes), say.size(transfer.total_bytes)) : say.files(transfer.total_files)];
  if (!live || transfer.state !== 'transferring' || transfer.waiting) return facts;
  if (transfer.bytes_per_second > 0) facts.push(speedWords(say, transfer.bytes_per_second));
  if (transfer.seconds_left !== null) facts.push(timeLeftWords(say, transfer.seconds_left));
  return facts;
}

/** With whom: the Team or Portal it goes to, or the service it comes from. */
export function partnerWords({ messages }: Say, transfer: AgentTransfer, teamName: (id: string) => string | undefined): string {
  const { row } = messages.transfers;
  if (transfer.portal) return transfer.portal.name ? row.portal(transfer.portal.name) : row.aPortal;
  if (transfer.kind === 'upload') return teamName(transfer.team_id) ?? '';
  return URL.parse(transfer.url)?.host ?? '';
}

/** What to read out when a transfer has come from one state to another; empty for nothing worth hearing. */
export function announcement(say: Pick<Say, 'messages'>, before: AgentTransfer['state'] | undefined, transfer: AgentTransfer): string {
  const { hear } = say.messages.transfers;
  if (before === undefined || before === transfer.state) return '';
  if (transfer.state === 'complete') return transfer.kind === 'upload' ? hear.sent(transfer.name) : hear.received(transfer.name);
  if (transfer.state === 'error')
    return hear.failed(transfer.name, transfer.error ? plain(sentenced(failureWords(transfer.error, say.messages))) : '');
  return transfer.state === 'cancelled' ? hear.cancelled(transfer.name) : '';
}

/** What all have still to move, how fast they do, and how many are not looked through yet; empty where nothing is left. */
export function totalsWords(say: Say, summary: TransferSummary, live: boolean): string {
  const { bytes_left: left, upload_bps: up, download_bps: down, unmeasured = 0 } = summary;
  const { together, toGo, unmeasured: notYet, andUnmeasured } = say.messages.transfers;
  const more = unmeasured > 0 ? notYet(say.number(unmeasured)) : '';
  if (left === 0) return more;
  const speed = up + down;
  const known = live && speed > 0 ? together(say.size(left), speedWords(say, speed)) : toGo(say.size(left));
  return more === '' ? known : andUnmeasured(known, more);
}
