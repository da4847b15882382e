import type { AgentTransfer } from '#protocol/agent/transfers.ts';

/** Everything a transfer says to a person. Pure: locale and clock come in. */

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;

/** A size in decimal units, e.g. `4.2 GB`. */
export function sizeWords(bytes: number, locale?: string): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  const digits = power === 0 || value >= 100 ? 0 : 1;
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: units[power],
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: digits,
  }).format(value);
}

/** `112 MB/s`. */
export function speedWords(bytesPerSecond: number, locale?: string): string {
  return `${sizeWords(Math.round(bytesPerSecond), locale)}/s`;
}

/** `45 s left`, `12 min left`, `3 h 20 min left`. */
export function timeLeftWords(seconds: number): string {
  if (seconds < 1) return 'almost done';
  if (seconds < 90) return `${Math.ceil(seconds)} s left`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 90) return `${minutes} min left`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h left` : `${hours} h ${minutes % 60} min left`;
  return `${Math.round(hours / 24)} days left`;
}

/** `1 file`, `12,400 files`. */
export function filesWords(count: number, locale?: string): string {
  return `${new Intl.NumberFormat(locale).format(count)} ${count === 1 ? 'file' : 'files'}`;
}

/** A moment, as short as it stays clear: the time today, else the day and the time. */
export function momentWords(iso: string, now: Date, locale?: string): string {
  const at = new Date(iso);
  const sameDay = at.toDateString() === now.toDateString();
  const sameYear = at.getFullYear() === now.getFullYear();
  return new Intl.DateTimeFormat(locale, {
    ...(sameDay ? {} : { day: 'numeric', month: 'short' }),
    ...(sameDay || sameYear ? {} : { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
  }).format(at);
}

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
  /** A sentence about why, and what to do; empty where the label says all. */
  readonly detail: string;
}

/** The state in words. `now` dates the next attempt. */
export function stateWords(transfer: AgentTransfer, now: Date, locale?: string): StateWords {
  const up = transfer.kind === 'upload';
  const waiting = transfer.waiting ? waitingWords(transfer.waiting, now, locale) : '';
  switch (transfer.state) {
    case 'queued':
      return { tone: waiting ? 'waiting' : 'calm', label: 'Queued', detail: waiting || 'Starts as soon as it is its turn.' };
    case 'transferring':
      if (waiting) return { tone: 'waiting', label: 'Waiting', detail: waiting };
      return { tone: 'moving', label: up ? 'Sending' : 'Receiving', detail: '' };
    case 'paused':
      return {
        tone: 'calm',
        label: 'Paused',
        detail: transfer.waiting?.until ? `Goes on at ${momentWords(transfer.waiting.until, now, locale)}.` : waiting,
      };
    case 'idle':
      return {
        tone: waiting ? 'waiting' : 'calm',
        label: 'Open',
        detail: waiting || 'Everything is sent. The package waits for more files or to be finished.',
      };
    case 'complete':
      return { tone: 'good', label: up ? 'Sent' : 'Received', detail: '' };
    case 'error':
      return {
        tone: 'bad',
        label: 'Failed',
        detail: sentence(transfer.error?.message ?? 'The agent gave no reason. Its log may have one.'),
      };
    case 'cancelled':
      return { tone: 'over', label: 'Cancelled', detail: '' };
  }
}

/** Why it waits; and when it goes on, if that is so far off that the reason's own seconds say little. */
function waitingWords({ reason, until }: NonNullable<AgentTransfer['waiting']>, now: Date, locale?: string): string {
  const far = until !== undefined && Date.parse(until) - now.getTime() > 120_000;
  return far ? `${sentence(reason)} Next try at ${momentWords(until, now, locale)}.` : sentence(reason);
}

/** With a capital and a full stop. */
function sentence(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') return '';
  const whole = /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
  return whole.charAt(0).toUpperCase() + whole.slice(1);
}

/** What is lost when this transfer is cancelled or removed, as a question to confirm; null where nothing is. */
export function removalQuestion(transfer: AgentTransfer): { title: string; text: string; confirm: string } | null {
  if (transfer.state === 'cancelled') return null;
  if (transfer.state === 'complete') {
    if (transfer.kind === 'download' || transfer.url === '' || transfer.links.some((link) => link.email !== '')) return null;
    return {
      title: 'Remove this upload from the list?',
      text: 'Its download link was sent to nobody and is shown only here. Copy the link first if you still need it. The package itself stays.',
      confirm: 'Remove',
    };
  }
  const up = transfer.kind === 'upload';
  const failed = transfer.state === 'error';
  const what = up ? 'upload' : 'download';
  return {
    title: failed ? `Remove this failed ${what}?` : `Cancel this ${what}?`,
    text: up ? lostByUpload(transfer.bytes) : 'Files that are not whole yet will be deleted. Files that have arrived stay in the folder.',
    confirm: failed ? 'Remove' : `Cancel ${what}`,
  };
}

function lostByUpload(bytes: number): string {
  if (bytes === 0) return 'Nothing has been sent yet. Your own files stay as they are.';
  return `${sizeWords(bytes)} already sent will be deleted from the service. Your own files stay as they are.`;
}

/** What to read out after a change of the book; empty for nothing worth hearing. */
export function announcement(before: ReadonlyMap<string, AgentTransfer>, after: ReadonlyMap<string, AgentTransfer>): string {
  const said: string[] = [];
  for (const transfer of after.values()) {
    const then = before.get(transfer.id);
    if (!then || then.state === transfer.state) continue;
    if (transfer.state === 'complete') said.push(`${transfer.name}: ${transfer.kind === 'upload' ? 'sent' : 'received'}.`);
    if (transfer.state === 'error') said.push(`${transfer.name}: failed. ${sentence(transfer.error?.message ?? '')}`);
    if (transfer.state === 'cancelled') said.push(`${transfer.name}: cancelled.`);
  }
  return said.join(' ');
}
