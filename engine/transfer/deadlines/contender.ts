import type { Priority } from '../record.ts';

/** A transfer that runs or is queued, as far as the queue's decisions need it. */
export interface Contender {
  readonly id: string;
  readonly kind: 'upload' | 'download';
  readonly priority: Priority;
  readonly position: number;
  /** Milliseconds since 1970; `null` without a deadline. */
  readonly dueAt: number | null;
  /** `null` while it is unknown, as before an upload is scanned. */
  readonly bytesLeft: number | null;
  /** Its own limit in bytes a second; 0 = none. */
  readonly rateLimit: number;
}

export interface RunningContender extends Contender {
  /** Bytes a second, measured; `null` before. */
  readonly speed: number | null;
  /** Whether it uses the line. One that waits for a retry does not. */
  readonly moving: boolean;
}

/** What all transfers of a direction move together, in bytes a second, as last measured; `null` before. */
export type LineSpeeds = Readonly<Record<Contender['kind'], number | null>>;
