/** Milliseconds without progress after which a connection counts as stalled. */
export const stallMilliseconds = 15_000;
/** Longest timeout for an answer, in milliseconds. */
const mostMilliseconds = 300_000;
/** Bytes a second at which the slowest storages digest and write after the whole of a large request is received. */
const slowestFlush = 8 * 1024 * 1024;
/** Bytes a second assumed for one of many connections on a line of unknown speed. */
const unknownLine = 32 * 1024;
/** Bytes from which a request's duration measures the throughput and not the round-trip time. */
const telling = 16 * 1024;
/** Limit of remembered entries (servers, and calls of them). */
const notesAtMost = 10_000;

interface Asked {
  readonly method: string;
  readonly url: URL;
  /** Bytes of the body. */
  readonly bytes: number;
}

/** Timeouts for the answer to one request. */
export interface Wait {
  /**
   * Milliseconds from the moment when the system has taken the whole body, if that is known. `sendingMs`: time that
   * this took.
   */
  afterSending(sendingMs: number): number;
  /** Milliseconds from the beginning, if that is not known. */
  readonly inAll: number;
  /** Milliseconds between two pieces of the answer. */
  readonly betweenPieces: number;
  /** The answer was received, `ms` milliseconds after the beginning. */
  answered(ms: number): void;
  stalled(): void;
}

/**
 * How long another side may be silent. Bytes in the system's send buffer are not yet received, and there is no report
 * of progress: a stalled line, a slow line and a busy server look the same. So the request is retried after 15 s. From
 * the third time on each timeout is twice as long, until this request or another to the same server is answered.
 */
export interface StallTimeouts {
  waitFor(asked: Asked): Wait;
}

interface StallTimeoutsOptions {
  /** Milliseconds; default 15 s. */
  readonly answerMs?: number;
  readonly stallMs?: number;
}

export function createStallTimeouts({ stallMs = stallMilliseconds, answerMs = stallMs }: StallTimeoutsOptions = {}): StallTimeouts {
  /** Stalls in a row, by server and by request. */
  const stalls = new Map<string, number>();
  /** Bytes a second of one connection, by server. */
  const speeds = new Map<string, number>();

  /** For each key, the sequence number of its last answer. */
  const answers = new Map<string, number>();
  let answersInAll = 0;

  const note = (notes: Map<string, number>, key: string, value: number): void => {
    notes.delete(key);
    if (notes.size >= notesAtMost) notes.delete(notes.keys().next().value!);
    notes.set(key, value);
  };

  return {
    waitFor({ method, url, bytes }) {
      const { origin } = url;
      const keys = [origin, `${method} ${origin}${url.pathname}`];
      const level = Math.max(...keys.map((key) => stalls.get(key) ?? 0));
      const patient = (ms: number, more = 0): number => Math.min(Math.max(mostMilliseconds, ms), ms * 2 ** Math.max(0, level - 1) + more);
      const answersBefore = answersInAll;
      const speed = speeds.get(origin) ?? unknownLine;
      return {
        // Bytes in the system's send buffer are still sent at the speed measured up to then.
        afterSending: (sendingMs) => patient(answerMs, sendingMs + (bytes / slowestFlush) * 1_000),
        inAll: patient(answerMs, 2 * (bytes / speed) * 1_000),
        betweenPieces: patient(stallMs),
        answered(ms) {
          answersInAll++;
          for (const key of keys) {
            stalls.delete(key);
            note(answers, key, answersInAll);
          }
          if (bytes < telling || ms <= 0) return;
          const seen = (bytes / ms) * 1_000;
          speeds.set(origin, speeds.has(origin) ? (speeds.get(origin)! + seen) / 2 : seen);
        },
        stalled() {
          for (const key of keys) {
            // The server has answered other requests since: it is not slow, only this connection stalled.
            if ((answers.get(key) ?? 0) > answersBefore) continue;
            // Concurrent requests that stall count as one stall.
            note(stalls, key, Math.max(stalls.get(key) ?? 0, level + 1));
          }
        },
      };
    },
  };
}
