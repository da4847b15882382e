import { HealthError } from '#protocol/errors.ts';
import { BackupError } from '../backup/backup-error.ts';
import type { DatabaseConnection } from '../database/database-connection.ts';
import type { HealthCheck } from '../health.ts';
import type { Log } from '../log.ts';
import { checkStorage } from './check.ts';
import type { FindingCounts, Integrity } from './check-state.ts';
import type { CheckedStorage } from './checked-storage.ts';

/** The service's own deep check: a part of all bytes each night, and from the start once it is through. */
export interface Scrub {
  /** Goes on where the last night ended, until `end` at most. */
  run(end: Date, signal: AbortSignal, log: Log): Promise<ScrubEnd>;
  /** What deep checks have found (check-state.ts). */
  counts(): Promise<FindingCounts>;
}

/** `stopped`: by the signal. `busy`: another check has the storage, or one whose machine is gone seems to. */
export type ScrubEnd = 'all is read' | 'its time is over' | 'stopped' | 'busy';

interface ScrubParts {
  readonly connection: DatabaseConnection;
  readonly dataDir: string;
  readonly storage: CheckedStorage;
  /** What checks of this storage have found. */
  readonly integrity: () => Promise<Integrity>;
  /** Bytes a second. */
  readonly rate: number;
  readonly now: () => Date;
}

/** Below the time that its job has (jobs/kinds.ts). */
const nightMilliseconds = 5 * 3_600_000;

export const endOfNight = (begun: Date): Date => new Date(begun.getTime() + nightMilliseconds);

export function createScrub({ connection, dataDir, storage, integrity, rate, now }: ScrubParts): Scrub {
  return {
    counts: async () => (await integrity()).counts,
    async run(end, signal, log) {
      const over = AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, end.getTime() - now().getTime()))]);
      try {
        const { objects, bytes, findings } = await checkStorage({
          ...{ connection, dataDir, storage, rate, now, signal: over },
          ...{ deep: true, repair: false, fromStart: false, onProgress: () => undefined },
          onFinding: (finding) => log.error({ finding }, 'the storage is not as the database has it'),
        });
        log.info({ objects, bytes, findings: findings.length }, 'every stored byte was compared with its digest');
        return 'all is read';
      } catch (error) {
        if (over.aborted) return signal.aborted ? 'stopped' : 'its time is over';
        if (!(error instanceof BackupError) || error.code !== 'busy') throw error;
        log.info({}, 'another check of the storage is under way');
        return 'busy';
      }
    },
  };
}

/** What deep checks have found is a problem of the service until one of them finds it mended. */
export const integrityCheck =
  (integrity: () => Promise<Pick<Integrity, 'counts'>>): HealthCheck =>
  async () => {
    const { counts } = await integrity();
    const count = (counts.missing ?? 0) + (counts.damaged ?? 0);
    return count === 0 ? null : new HealthError('storage_damaged', { count });
  };

/**
 * What was known at the look before; asks anew beside. Whether this process is alive must not wait for a database that is away,
 * which /readyz tells of.
 */
export function lastKnown(integrity: () => Promise<Integrity>): () => Promise<Pick<Integrity, 'counts'>> {
  let known: Pick<Integrity, 'counts'> = { counts: {} };
  let isAsking = false;
  async function ask(): Promise<void> {
    isAsking = true;
    try {
      known = await integrity();
    } catch {
      // As it was known before.
    } finally {
      isAsking = false;
    }
  }
  return async () => {
    if (!isAsking) void ask();
    return known;
  };
}
