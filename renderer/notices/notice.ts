import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { failureWords, plain, sentenced } from '../words/said.ts';
import type { Words } from '../words/shape.ts';

/** What a system shows of a transfer that has ended: the desktop app and a browser show the same. */
export interface EndNotice {
  readonly title: string;
  readonly body: string;
  /** Only a failure makes a sound. */
  readonly silent: boolean;
}

/** Characters that every system's notifications have room for. */
const longest = 200;

/** What a person is told of a transfer that has ended. Names come from other people: one line, no markup, bounded. */
export function noticeOf(transfer: AgentTransfer, words: Pick<Words, 'agent' | 'notices'>): EndNotice {
  const { notices } = words;
  const up = transfer.kind === 'upload';
  const failed = transfer.state === 'error';
  const title = failed ? (up ? notices.sendFailed : notices.receiveFailed) : up ? notices.sent : notices.received;
  const body = failed && transfer.error ? `${transfer.name}: ${plain(sentenced(failureWords(transfer.error, words)))}` : transfer.name;
  return { title, body: safe(body), silent: !failed };
}

/** Some Linux desktops read notifications as markup. */
function safe(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim();
  const cut = line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
  return cut.replaceAll('<', '‹').replaceAll('>', '›').replaceAll('&', '＆');
}
