import pino from 'pino';
import pretty from 'pino-pretty';

export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

/** The log of a program: for a person on a terminal, else one JSON object a line. Both on stderr: stdout is for answers. */
export function createLog(level: LogLevel, stream: { readonly fd: number; readonly isTTY?: boolean } = process.stderr): pino.Logger {
  if (!stream.isTTY) return pino({ level }, pino.destination({ fd: stream.fd, sync: true }));
  return pino({ level }, pretty({ colorize: true, translateTime: 'HH:MM:ss', ignore: 'pid,hostname', destination: stream.fd, sync: true }));
}
