import type { Health } from '../health.ts';

/** What a process knows of the service beside its database, for operators. */
export interface ServiceFacts {
  readonly version: string;
  readonly health: Health;
  readonly dataDir: string;
  /** The folder of the objects; null if they are not on a disk of this machine. */
  readonly objectsDir: string | null;
  readonly privateDatabase: boolean;
  /** Whether mail goes to a mail server. */
  readonly mailServer: boolean;
  /** Operators need a second factor. */
  readonly operatorMfa: boolean;
}
