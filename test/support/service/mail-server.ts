import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A message that a mail server took, as it went over the wire. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Whether the connection was TLS. */
  readonly secure: boolean;
  readonly user: string | undefined;
  readonly content: string;
}

export interface TestMailServer {
  readonly port: number;
  readonly received: ReceivedMail[];
  /** Addresses as RCPT TO named them, also of attempts that were refused. */
  readonly asked: string[];
  /** What RCPT TO answers; an empty one accepts. Changed as a test goes on. */
  answer: (recipient: string) => { readonly code: number; readonly text: string } | null;
  /** Cuts the connection in the middle of DATA so many times. */
  cuts: number;
  close(): Promise<void>;
}

/** A real mail server on a free port of 127.0.0.1. Without further options: neither TLS nor sign-in. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<TestMailServer> {
  const server = new SMTPServer({
    disabledCommands: options.onAuth ? [] : options.key ? ['AUTH'] : ['AUTH', 'STARTTLS'],
    authOptional: options.onAuth === undefined,
    disableReverseLookup: true,
    logger: false,
    onRcptTo({ address }, _session, done) {
      mail.asked.push(address);
      const refusal = mail.answer(address);
      done(refusal ? Object.assign(new Error(refusal.text), { responseCode: refusal.code }) : null);
    },
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      const cut = mail.cuts > 0;
      if (cut) mail.cuts -= 1;
      stream.on('data', (part: Buffer) => {
        parts.push(part);
        if (!cut) return;
        for (const connection of server.connections) (connection as { _socket?: { destroy(): void } })._socket?.destroy();
      });
      stream.on('end', () => {
        if (cut) return;
        const { mailFrom, rcptTo } = session.envelope;
        mail.received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          secure: session.secure,
          user: session.user,
          content: Buffer.concat(parts).toString('utf8'),
        });
        done();
      });
    },
    ...options,
  });
  // A connection that a client drops is the client's matter.
  server.on('error', () => undefined);
  const mail: TestMailServer = {
    port: 0,
    received: [],
    asked: [],
    answer: () => null,
    cuts: 0,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  const listening = server.listen(0, '127.0.0.1');
  if (!listening.listening) await once(listening, 'listening');
  return Object.assign(mail, { port: (listening.address() as AddressInfo).port });
}

export interface ParsedMail {
  /** Unfolded and decoded, by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  readonly html: string;
}

/** Takes a multipart/alternative message apart, by the rules of MIME and with nothing of what made it. */
export function parseMail(content: string): ParsedMail {
  const { headers, body } = split(content);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1];
  if (boundary === undefined) throw new Error('The message has no parts.');
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => split(part.replace(/^\r\n/, '').replace(/\r\n$/, '')));
  const partOf = (type: string) => {
    const part = parts.find(({ headers: own }) => own.get('content-type')?.startsWith(type));
    if (!part) throw new Error(`The message has no part ${type}.`);
    return decode(part.body, part.headers.get('content-transfer-encoding') ?? '7bit');
  };
  return { headers, text: partOf('text/plain'), html: partOf('text/html') };
}

function split(content: string) {
  const end = content.indexOf('\r\n\r\n');
  const lines = content
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), words(line.slice(line.indexOf(':') + 1).trim())]),
  );
  if (headers.size !== lines.length) throw new Error('A header stands twice.');
  return { headers, body: content.slice(end + 4) };
}

/** Encoded words (RFC 2047). */
const words = (value: string): string =>
  value.replaceAll(/\?=\s+=\?/g, '?==?').replaceAll(/(=\?UTF-8\?[BQ]\?[^?]*\?=)+/gi, (run) => {
    const bytes = [...run.matchAll(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi)].map(([, kind, text]) =>
      kind!.toUpperCase() === 'B' ? Buffer.from(text!, 'base64') : quotedPrintable(text!.replaceAll('_', ' ')),
    );
    return Buffer.concat(bytes).toString('utf8');
  });

const quotedPrintable = (text: string): Buffer =>
  Buffer.from(
    text.replaceAll(/=\r\n/g, '').replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

function decode(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8').replaceAll('\r\n', '\n');
  if (encoding === 'quoted-printable') return quotedPrintable(body).toString('utf8').replaceAll('\r\n', '\n');
  return body.replaceAll('\r\n', '\n');
}
