/** The table of migration 0071 (service/integrity). Times as JavaScript has them. */
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
}
