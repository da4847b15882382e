/** How much a program logs; apart from the log itself, which no command needs before it works. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];
