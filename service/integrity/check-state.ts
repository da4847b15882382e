import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAbsent } from '../backup/backup-error.ts';
import { folderStore } from '../backup/folder-store.ts';
import type { FileStore } from '../backup/ports.ts';
import { gunzipped, once, wholeOf } from '../backup/streams.ts';
import type { Finding, FindingKind } from './finding.ts';

/** How far a check has come. */
export interface CheckState {
  readonly format: 2;
  readonly deep: boolean;
  readonly begun_at: string;
  readonly totals: { readonly objects: number; readonly bytes: number };
  /** Items of the list that are done (backup/object-list.ts). */
  readonly items: number;
  /** Whether the list is done. */
  readonly listed: boolean;
  /** Up to where the storage is looked through for what nothing needs; `null` once it is through. */
  readonly unneeded: string | null;
  /** The id of the last package whose rows were compared with its receipt. */
  readonly packages: string;
  /** What was found until then, by kind. */
  readonly counts: FindingCounts;
}

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

/** Keeps in a folder what a check that was stopped or killed goes on with. */
export interface CheckJournal {
  readonly list: { write(bytes: AsyncIterable<Uint8Array>): Promise<void>; read(): AsyncIterable<Buffer> };
  /** `null` where none is unfinished, and where its list is not whole any more: that one begins anew. */
  read(): Promise<{ readonly state: CheckState; readonly findings: readonly Finding[] } | null>;
  /** Keeps how far it is, after what was found until then. */
  write(state: CheckState, findings: readonly Finding[]): Promise<void>;
  /** Ends it. */
  forget(): Promise<void>;
}

/** A quick check and a deep one each go on by themselves. */
const folderOf = (dataDir: string, deep: boolean): string => join(dataDir, 'integrity', deep ? 'deep' : 'quick');
const summaryName = 'last-deep.json';

const names = { list: 'list.gz', state: 'state.json', findings: 'findings.jsonl' } as const;

export function openCheckJournal(dataDir: string, deep: boolean): CheckJournal {
  const folder = folderOf(dataDir, deep);
  const store = folderStore(folder);
  return {
    list: { write: (bytes) => store.write(names.list, bytes), read: () => store.read(names.list) },
    async read() {
      const text = await textOf(store, names.state);
      const state = parsed<CheckState>(text ?? '');
      if (state?.format !== 2 || (!state.listed && !(await isWhole(store.read(names.list))))) return null;
      // Of a line that a kill cut off, what was found is found again.
      const lines = ((await textOf(store, names.findings)) ?? '').split('\n');
      return { state, findings: lines.flatMap((line) => parsed<Finding>(line) ?? []) };
    },
    async write(state, findings) {
      if (findings.length > 0) {
        const lines = findings.map((finding) => `${JSON.stringify(finding)}\n`);
        await appendFile(join(folder, names.findings), lines.join(''), { flush: true });
      }
      await store.write(names.state, once(Buffer.from(JSON.stringify(state))));
    },
    async forget() {
      for (const name of [names.state, names.list, names.findings]) await store.remove(name);
      await store.sweep();
    },
  };
}

export const writeSummary = (dataDir: string, summary: CheckSummary): Promise<void> =>
  folderStore(join(dataDir, 'integrity')).write(summaryName, once(Buffer.from(JSON.stringify(summary))));

export interface Integrity {
  /** The last deep check that came to its end; `null` if none has. */
  readonly last: CheckSummary | null;
  /** By that one, or by the one after it that has not ended yet, whichever found more. */
  readonly counts: FindingCounts;
}

/** What deep checks have found. */
export async function readIntegrity(dataDir: string): Promise<Integrity> {
  const [last, running] = await Promise.all([
    textOf(folderStore(join(dataDir, 'integrity')), summaryName).then((text) => parsed<CheckSummary>(text ?? '')),
    textOf(folderStore(folderOf(dataDir, true)), names.state).then((text) => parsed<CheckState>(text ?? '')),
  ]);
  const counts = new Map(Object.entries(last?.counts ?? {}));
  for (const [kind, count] of Object.entries(running?.counts ?? {})) counts.set(kind, Math.max(count, counts.get(kind) ?? 0));
  return { last, counts: Object.fromEntries(counts) };
}

/** By the checksum at its end. What a list on a failing disk says would be found missing, night after night. */
async function isWhole(list: AsyncIterable<Uint8Array>): Promise<boolean> {
  try {
    for await (const _ of gunzipped(list));
    return true;
  } catch {
    return false;
  }
}

async function textOf(store: FileStore, name: string): Promise<string | null> {
  try {
    return (await wholeOf(store.read(name))).toString('utf8');
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

function parsed<T>(text: string): T | null {
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
}
