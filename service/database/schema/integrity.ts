import type { Generated } from 'kysely';

/** The tables of migrations 0071 and 0084 (service/integrity). Times as JavaScript has them. */
export interface IntegrityTables {
  /** What checks of the storage have found and none has found mended. */
  integrity_findings: {
    kind: 'missing' | 'damaged' | 'altered' | 'orphan' | 'foreign' | 'miscounted';
    /** Of the object, or the id of the segment. */
    key: string;
    /** In the folder or bucket of objects. */
    path: string;
    size: string | null;
    team_id: string | null;
    package_id: string | null;
    package_name: string | null;
    file_id: string | null;
    /** With its folders. */
    file_name: string | null;
    detail: string;
    found_at: Date;
  };
  /** Checks of a bucket (service/integrity/check-state.ts). */
  integrity_checks: {
    kind: 'quick' | 'deep';
    /** `CheckState` of the one under way; null: none is. */
    state: unknown;
    /** `CheckSummary` of the last deep one that came to its end. */
    last: unknown;
  };
  /** What the one under way has found, in lists as it was kept. */
  integrity_check_findings: {
    id: Generated<number>;
    kind: 'quick' | 'deep';
    findings: unknown;
  };
}
