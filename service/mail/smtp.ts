import { connect, type Socket } from 'node:net';
import { isLoopback } from '../certificates.ts';
import { isAddress, oneLine } from './clean.ts';
import type { SmtpServer } from './smtp-url.ts';
import type { Delivery, MailTransport } from './transport.ts';

/** Milliseconds without data, for each phase. An attempt ends long before another may begin (send.ts). */
const timeouts = { connectionTimeout: 15_000, greetingTimeout: 15_000, socketTimeout: 45_000 };

/**
 * Sends through a mail server, with a new connection for each message: a broken connection affects no other message,
 * and a pool cannot send an accepted message again.
 */
export function openSmtp(server: SmtpServer): MailTransport {
  const options = optionsOf(server);
  return {
    displayUrl: `${server.host}:${server.port}`,
    async deliver({ from, to, content }, signal): Promise<Delivery> {
      if (!isAddress(to)) return { outcome: 'refused', reason: 'This is not an address that mail can be sent to.' };
      if (signal.aborted) return { outcome: 'delayed', reason: 'The service is stopping.' };
      // Loaded with the first message, as a start is mostly loading.
      const { createTransport } = await import('nodemailer');
      try {
        await createTransport(options).sendMail({ envelope: { from, to: [to] }, raw: content });
        return { outcome: 'sent' };
      } catch (error) {
        return deliveryOf(error as SmtpFailure);
      }
    },
  };
}

const optionsOf = ({ host, port, tls, auth, ca }: SmtpServer) =>
  ({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'required',
    ignoreTLS: tls === 'off',
    ...(auth && { auth }),
    tls: { minVersion: 'TLSv1.2', ...(ca !== null && { ca }), rejectUnauthorized: !needsNoCertificate({ host, tls, ca }) },
    ...timeouts,
    getSocket: connectWithin(timeouts.connectionTimeout),
    disableFileAccess: true,
    disableUrlAccess: true,
  }) as const;

/**
 * On this machine mail may go in clear, so a certificate that nobody vouches for, as Debian's Postfix offers, is no reason not to send.
 */
const needsNoCertificate = ({ host, tls, ca }: Pick<SmtpServer, 'host' | 'tls' | 'ca'>): boolean =>
  tls === 'optional' && ca === null && isLoopback(host);

type GotSocket = (error: Error | null, got?: { connection: Socket }) => void;

/**
 * Node looks the name up as for all other servers, and tries all its addresses. Nodemailer's own look asks the DNS alone first, and
 * writes to standard error where a machine has no network but loopback.
 */
const connectWithin = (milliseconds: number) => (options: { host?: string; port?: number }, done: GotSocket) => {
  const socket = connect({ host: options.host!, port: options.port!, timeout: milliseconds });
  const ended = (error: Error | null) => {
    socket.off('error', ended).off('timeout', silent).off('connect', connected);
    if (error === null) return done(null, { connection: socket.setTimeout(0) });
    socket.on('error', () => undefined).destroy();
    done(error);
  };
  const silent = () => ended(Object.assign(new Error('Connection timeout'), { code: 'ETIMEDOUT' }));
  const connected = () => ended(null);
  socket.on('error', ended).on('timeout', silent).on('connect', connected);
};

/** Connects and signs in, and sends nothing. Rejects with nodemailer's error. */
export async function verifySmtp(server: SmtpServer): Promise<void> {
  const { createTransport } = await import('nodemailer');
  await createTransport(optionsOf(server)).verify();
}

/** The fields of a nodemailer error. */
export interface SmtpFailure extends Error {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

/**
 * Classifies a failure of a message. A 5xx about this recipient or this message (RFC 5321 §4.2.1) is permanent.
 * Errors about us (sign-in, sender address, TLS) can be fixed by the operator, and network errors are temporary, so
 * both are retried.
 */
export function deliveryOf(error: SmtpFailure): Delivery {
  const said = error.response ?? error.message;
  const reason = oneLine(error.command && error.response ? `${error.command}: ${said}` : said, 500);
  const aboutThisMessage = error.command === 'RCPT TO' || error.command === 'DATA';
  const permanent = error.responseCode !== undefined && error.responseCode >= 500;
  // No response code: nodemailer itself rejected the address as unsafe for an SMTP command.
  const unfit = error.code === 'EENVELOPE' && error.command === 'API' && error.responseCode === undefined;
  return { outcome: (permanent && aboutThisMessage) || unfit ? 'refused' : 'delayed', reason };
}
