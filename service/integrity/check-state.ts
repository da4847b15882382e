import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAbsent } from '../backup/backup-error.ts';
import { folderStore } from '../backup/folder-store.ts';
import type { FileStore } from '../backup/ports.ts';
import { once, wholeOf } from '../backup/streams.ts';
import type { Finding } from './finding.ts';

/** How far a check has come. */
export interface CheckState {
  readonly format: 1;
  readonly deep: boolean;
  readonly begun_at: string;
  readonly totals: { readonly objects: number; readonly bytes: number };
  /** Items of the list that are done (backup/object-list.ts). */
  readonly items: number;
  /** Whether the list is done. */
  readonly listed: boolean;
  /** Folders of objects and segments that are done. */
  readonly shards: number;
}

/** Keeps in a folder what a check that was stopped or killed goes on with. */
export interface CheckJournal {
  readonly list: { write(bytes: AsyncIterable<Uint8Array>): Promise<void>; read(): AsyncIterable<Buffer> };
  /** `null` where none is unfinished. */
  read(): Promise<{ readonly state: CheckState; readonly findings: readonly Finding[] } | null>;
  /** Keeps how far it is, after what was found until then. */
  write(state: CheckState, findings: readonly Finding[]): Promise<void>;
  forget(): Promise<void>;
}

const names = { list: 'list.gz', state: 'state.json', findings: 'findings.jsonl' } as const;

export function openCheckJournal(folder: string): CheckJournal {
  const store = folderStore(folder);
  return {
    list: { write: (bytes) => store.write(names.list, bytes), read: () => store.read(names.list) },
    async read() {
      const text = await textOf(store, names.state);
      const state = parsed<CheckState>(text ?? '');
      if (state?.format !== 1) return null;
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
