/**
 * - `missing`, `damaged`: a file whose bytes the storage has not, or has otherwise than its row says
 * - `altered`: a row that says something else than when its file or package was finalized
 * - `orphan`: an object, segment or unfinished upload that no row needs
 * - `foreign`: something in the folder or bucket that no Longshore made
 * - `miscounted`: a segment whose row counts other files than there are
 */
export const findingKinds = ['missing', 'damaged', 'altered', 'orphan', 'foreign', 'miscounted'] as const;
export type FindingKind = (typeof findingKinds)[number];

/** What is wrong with one file, object or segment. */
export interface Finding {
  readonly kind: FindingKind;
  /** Of the object, or the id of the segment. */
  readonly key: string;
  /** In the folder or bucket of objects. */
  readonly path: string;
  /** Bytes, as the row has them. */
  readonly size?: number;
  readonly team_id?: string;
  readonly package_id?: string;
  readonly package_name?: string;
  readonly file_id?: string;
  /** With its folders. */
  readonly file_name?: string;
  /** For people: what does not agree. */
  readonly detail?: string;
  /** By this run. */
  readonly repaired?: true;
}
