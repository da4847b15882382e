import type { Finding, FindingKind } from './finding.ts';

/** How far a check has come. */
export interface CheckState {
  readonly format: 4;
  readonly deep: boolean;
  readonly begun_at: string;
  /** The newest file there was then: a check has an end also where files come faster than it reads. */
  readonly last_file: string;
  readonly totals: { readonly objects: number; readonly bytes: number };
  /** Of the list, in its order: all up to this key is done (item-key.ts), but for what is under way. */
  readonly after: string;
  /** By their keys: items that are begun and not done, with what their look has kept (inside.ts). */
  readonly under_way: Readonly<Record<string, unknown>>;
  /** Whether the list is done. */
  readonly listed: boolean;
  /** Up to where the storage is looked through for what nothing needs; `null` once it is through. */
  readonly unneeded: string | null;
  /** The id of the last package whose rows were compared with its receipt. */
  readonly packages: string;
  /** What was found until then, by kind. */
  readonly counts: FindingCounts;
}

export const stateFormat: CheckState['format'] = 4;

export type FindingCounts = Partial<Record<FindingKind, number>>;

/** A deep check that came to its end. Times as ISO 8601. */
export interface CheckSummary {
  readonly begun_at: string;
  readonly ended_at: string;
  readonly objects: number;
  /** Bytes. */
  readonly bytes: number;
  readonly counts: FindingCounts;
}

/** Keeps what a check that was stopped or killed goes on with. A quick check and a deep one each go on by themselves. */
export interface CheckJournal {
  /** What has to be there (backup/object-list.ts), on this machine. */
  readonly list: { write(bytes: AsyncIterable<Uint8Array>): Promise<void>; read(): AsyncIterable<Buffer> };
  /** Whether the list outlives a run. Where it does not, each run writes its own. */
  readonly keepsList: boolean;
  /** `null` where none is unfinished, and where a list that is kept is not whole any more: that check begins anew. */
  read(): Promise<{ readonly state: CheckState; readonly findings: readonly Finding[] } | null>;
  /** Keeps how far it is, after what was found until then. */
  write(state: CheckState, findings: readonly Finding[]): Promise<void>;
  /** Forgets the one that is under way. */
  forget(): Promise<void>;
  /** Ends it. `summary`, of a deep one: what is told until the next one ends. */
  end(summary: CheckSummary | null): Promise<void>;
  /** A run is over, whether the check is or not. */
  leave(): Promise<void>;
}

export interface Integrity {
  /** The last deep check that came to its end; `null` if none has. */
  readonly last: CheckSummary | null;
  /** When the deep check was begun that has not ended yet, as ISO 8601; `null` if there is none. */
  readonly begun: string | null;
  /** By that one, or by the one after it that has not ended yet, whichever found more. */
  readonly counts: FindingCounts;
}

/** What deep checks have found: the last one, and the one under way. */
export function integrityOf(last: CheckSummary | null, running: Pick<CheckState, 'begun_at' | 'counts'> | null): Integrity {
  const counts = new Map(Object.entries(last?.counts ?? {}));
  for (const [kind, count] of Object.entries(running?.counts ?? {})) counts.set(kind, Math.max(count, counts.get(kind) ?? 0));
  return { last, begun: running?.begun_at ?? null, counts: Object.fromEntries(counts) };
}
