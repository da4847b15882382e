import type { Log } from '../ports.ts';

/** A log that also keeps its newest lines of every level in memory, for the support bundle. */
export interface RecentLog extends Log {
  /** JSON, one line each, the oldest first. */
  lines(): readonly string[];
}

/** Characters in memory. */
const maxCharacters = 512 * 1024;
const maxLineLength = 4_096;

export function createRecentLog(log: Log, now: () => number): RecentLog {
  const lines: string[] = [];
  let size = 0;
  const keep = (level: string, facts: object, message: string): void => {
    const line = asJson({ time: new Date(now()).toISOString(), level, message, ...facts }).slice(0, maxLineLength);
    lines.push(line);
    size += line.length;
    while (size > maxCharacters) size -= lines.shift()?.length ?? size;
  };
  const at =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (facts: object, message: string): void => {
      keep(level, facts, message);
      log[level](facts, message);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), lines: () => lines };
}

function asJson(value: object): string {
  try {
    return JSON.stringify(value, (_, one: unknown) => (one instanceof Error ? { message: one.message, stack: one.stack } : one));
  } catch {
    // The object refers to itself.
    return JSON.stringify({ unreadable: String(value) });
  }
}
