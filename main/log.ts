import pino from 'pino';
import pretty from 'pino-pretty';
import type { LogLevel } from './log-levels.ts';

/** The log of a program: for a person on a terminal, else one JSON object a line. Both on stderr: stdout is for answers. */
export function createLog(level: LogLevel, stream: { readonly fd: number; readonly isTTY?: boolean } = process.stderr): pino.Logger {
  if (!stream.isTTY) return pino({ level }, pino.destination({ fd: stream.fd, sync: true }));
  return pino({ level }, pretty({ colorize: true, translateTime: 'HH:MM:ss', ignore: 'pid,hostname', destination: stream.fd, sync: true }));
}
