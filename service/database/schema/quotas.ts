import type { ColumnType, Generated } from 'kysely';
import type { Bigint } from './packages.ts';

type Counter = ColumnType<string | number, number | undefined, number>;

/** The table of migration 0050, whose triggers on `files` count in the statement that changes them. */
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
    /** Whether it was told that most of it is used. */
    storage_told: Generated<boolean>;
    traffic_told: Generated<boolean>;
  };
}
