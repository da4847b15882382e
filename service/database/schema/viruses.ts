import type { Generated } from 'kysely';

/** The tables of migration 0056 (service/viruses). */
export interface VirusTables {
  /** Of packages that were finalized while the service had a scanner. */
  package_scans: {
    package_id: string;
    state: Generated<'pending' | 'done'>;
    /** `files.place` of the last file that was scanned; null before the first. */
    position: Generated<Buffer | null>;
    /** How many files were looked at; of these, how many hold a virus, and of how many nothing is known. */
    files: Generated<number>;
    infected: Generated<number>;
    unscanned: Generated<number>;
    /** Without success, one after the other. */
    attempts: Generated<number>;
    due_at: Date;
    /** Until when it is one process's. */
    leased_until: Generated<Date | null>;
    created_at: Date;
    ended_at: Generated<Date | null>;
  };
  /** Files that are not clean. */
  scan_findings: {
    file_id: string;
    package_id: string;
    kind: 'infected' | 'unscanned';
    /** The virus's name, or why nothing is known: `too_large`, `unreadable`, `refused`. */
    detail: string;
    created_at: Date;
  };
}
