import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { asSentence, errorText, plainText } from '../messages/localized-text.ts';
import type { Messages } from '../messages/shape.ts';

/** The system notification for a finished transfer, the same in the desktop app and in a browser. */
interface EndNotice {
  readonly title: string;
  readonly body: string;
  /** Only a failure makes a sound. */
  readonly silent: boolean;
}

/** A length that every system's notifications can show. */
const longest = 200;

/** The text about a finished transfer. Names are untrusted: one line, no markup, bounded length. */
export function noticeOf(transfer: AgentTransfer, messages: Pick<Messages, 'agent' | 'notices'>): EndNotice {
  const { notices } = messages;
  const up = transfer.kind === 'upload';
  const failed = transfer.state === 'error';
  const title = failed ? (up ? notices.sendFailed : notices.receiveFailed) : up ? notices.sent : notices.received;
  const body = failed && transfer.error ? `${transfer.name}: ${plainText(asSentence(errorText(transfer.error, messages)))}` : transfer.name;
  return { title, body: safe(body), silent: !failed };
}

/** Some Linux desktops interpret notifications as markup. */
function safe(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, ' ').trim();
  const cut = line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
  return cut.replaceAll('<', '‹').replaceAll('>', '›').replaceAll('&', '＆');
}
