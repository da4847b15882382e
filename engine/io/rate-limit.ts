/** Slows transfers down to a rate. Absent, it costs nothing. */
export interface RateLimiter {
  /** Resolves, or returns at once, when so many more bytes may move. Rejects when the signal fires. */
  take(bytes: number, signal: AbortSignal): void | Promise<void>;
}
