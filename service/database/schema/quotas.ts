import type { ColumnType, Generated } from 'kysely';
import type { QuotaLevel } from '../../quotas/levels.ts';
import type { Bigint } from './packages.ts';

type Counter = ColumnType<string | number, number | undefined, number>;

/** The tables of migrations 0050 and 0055. Triggers on `files` count in the statement that changes them. */
export interface QuotaTables {
  /** What a Team or a Portal may use; no row: as much as there is. */
  quotas: {
    /** The Portal's id, or the Team's. */
    holder_id: string;
    team_id: string;
    portal_id: Generated<string | null>;
    /** Bytes; null: no limit. */
    storage_limit: Bigint | null;
    /** Bytes of all files that have a row, with those that are still being sent. */
    storage_used: Counter;
    /** Of those, bytes of files that are not finalized. */
    open_bytes: Counter;
    /** Bytes in a month; null: no limit. */
    traffic_limit: Bigint | null;
    traffic_used: Counter;
    /** First day of the month that `traffic_used` is of. */
    traffic_month: ColumnType<string, string | undefined, string>;
    /** Whether the files from before the row are in the counters: until then nothing is refused. */
    counted: Generated<boolean>;
    /** Percent of the limit that was told last (quotas/levels.ts), and when. */
    storage_level: Generated<QuotaLevel>;
    storage_level_at: Generated<Date | null>;
    /** When something was refused, noted about once an hour. */
    storage_refused_at: Generated<Date | null>;
    traffic_level: Generated<QuotaLevel>;
    traffic_level_at: Generated<Date | null>;
    traffic_refused_at: Generated<Date | null>;
  };
  /** What owners were told of limits. */
  quota_warnings: {
    id: string;
    team_id: string;
    /** Null: it was the Team's limit. */
    portal_id: string | null;
    kind: 'storage' | 'traffic';
    percent: 80 | 100;
    /** As they were then, in bytes. */
    limit_bytes: Bigint;
    used_bytes: Bigint;
    created_at: Date;
  };
}
