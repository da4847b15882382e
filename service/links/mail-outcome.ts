import type { LinkMail } from '#protocol/hosted/links.ts';
import type { MessageState } from '../database/schema/messages.ts';
import { heldBackReason } from '../mail/held-back.ts';

interface LastMail {
  readonly state: MessageState;
  readonly last_error: string;
}

/** Enhanced status codes (RFC 3463), and what servers without them say. The first that fits counts. */
const refusals: readonly (readonly [NonNullable<LinkMail['problem']>, RegExp])[] = [
  ['bad_address', /not an address that mail can be sent to/i],
  ['mailbox_full', /\b[45]\.2\.2\b|\bquota\b|mailbox (?:is )?full|\b552\b/i],
  [
    'no_mailbox',
    /\b5\.1\.(?:0|1|2|3|6|10)\b|\b5\.2\.1\b|no such (?:user|mailbox|recipient)|(?:user|mailbox|recipient)\S* (?:unknown|not found|unavailable)|unknown (?:user|mailbox|recipient)|does not exist/i,
  ],
  ['unwanted', /\b5\.7\.\d+\b|\bspam\b|blocked|blacklist|blocklist|policy|\b554\b/i],
];

/** How the last mail of a link went, for whoever manages the package. */
export function mailOutcome({ state, last_error: error }: LastMail): LinkMail {
  switch (state) {
    case 'sent':
      return { state: 'sent' };
    case 'waiting':
      return error === '' ? { state: 'waiting' } : { state: 'waiting', problem: 'delayed' };
    case 'refused': {
      const [problem = 'refused'] = refusals.find(([, said]) => said.test(error)) ?? [];
      // What the server of the recipient said is about the recipient; all other failures may name what is the operator's.
      const detail = problem === 'bad_address' ? '' : error.replace(/^(?:RCPT TO|DATA): /, '');
      return { state: 'failed', problem, ...(detail !== '' && { detail }) };
    }
    case 'gave_up':
      return { state: 'failed', problem: 'unreachable' };
    case 'withdrawn':
      return error === heldBackReason ? { state: 'failed', problem: 'held_back' } : { state: 'withdrawn' };
  }
}
