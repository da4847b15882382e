import { isIP } from 'node:net';
import { isLoopback } from '../certificates.ts';
import { StartError } from '../start-error.ts';
import { isAddress } from './clean.ts';
import type { MailFrom } from './compose.ts';
import { openOutbox } from './outbox.ts';
import { openSmtp } from './smtp.ts';
import { parseSmtpUrl } from './smtp-url.ts';
import type { MailTransport } from './transport.ts';

/** How the service sends mail. */
export interface Mail {
  readonly from: MailFrom;
  readonly transport: MailTransport;
}

interface MailOptions {
  readonly smtpUrl?: string;
  /** `Name <address>` or an address. */
  readonly from?: string;
  /** The folder for messages if no mail server is configured. */
  readonly outbox: string;
  /** The service's own URL. Its host is used for the sender's address if none is configured. */
  readonly publicUrl: string;
}

/** Parses the operator's settings. Does not connect. Errors: `StartError`, without secrets. */
export function openMail({ smtpUrl, from, outbox, publicUrl }: MailOptions): Mail {
  const transport = smtpUrl === undefined ? openOutbox(outbox) : openSmtp(parseSmtpUrl(smtpUrl));
  if (from !== undefined) return { from: parseFrom(from), transport };
  const { hostname } = new URL(publicUrl);
  const named = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && !isLoopback(hostname);
  if (smtpUrl !== undefined && !named) {
    throw new StartError(
      'option_invalid',
      'Mail needs a sender: give --mail-from, like "Harbour Films <files@example.com>", or a --public-url with a name.',
    );
  }
  return { from: { name: 'Longshore', address: `no-reply@${named ? hostname : 'localhost'}` }, transport };
}

/** Parses `Name <address>` or an address. */
export function parseFrom(text: string): MailFrom {
  const match = /^\s*(?:"?([^"<>\p{Cc}]*?)"?\s*<([^<>]*)>|([^<>]*?))\s*$/u.exec(text);
  const found = match?.[2] ?? match?.[3];
  if (found === undefined || !isAddress(found)) {
    throw new StartError('option_invalid', '--mail-from: give an address like files@example.com, or "Harbour Films <files@example.com>".');
  }
  return { name: match?.[1]?.trim() ?? '', address: found };
}
