/** Log levels. Separate from the log itself, which commands load only when they need it. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];
