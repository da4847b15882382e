import pino from 'pino';
import pretty from 'pino-pretty';
import type { LogLevel } from './log-levels.ts';

/**
 * A program's log: text on a terminal, otherwise one JSON object for each line. Both on stderr; stdout is for results.
 */
export function createLog(level: LogLevel, stream: { readonly fd: number; readonly isTTY?: boolean } = process.stderr): pino.Logger {
  if (!stream.isTTY) return pino({ level }, pino.destination({ fd: stream.fd, sync: true }));
  return pino({ level }, pretty({ colorize: true, translateTime: 'HH:MM:ss', ignore: 'pid,hostname', destination: stream.fd, sync: true }));
}
