import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAbsent } from '../backup/backup-error.ts';
import { folderStore } from '../backup/folder-store.ts';
import type { FileStore } from '../backup/ports.ts';
import { gunzipped, once, wholeOf } from '../backup/streams.ts';
import { type CheckJournal, type CheckState, type CheckSummary, type Integrity, integrityOf, stateFormat } from './check-state.ts';
import type { Finding } from './finding.ts';

/** Of local storage, beside its objects: all who can check these find it, and a storage without a database tells of it. */

const folderOf = (dataDir: string, deep: boolean): string => join(dataDir, 'integrity', deep ? 'deep' : 'quick');
const summaryName = 'last-deep.json';

const names = { list: 'list.gz', state: 'state.json', findings: 'findings.jsonl' } as const;

export function openFolderJournal(dataDir: string, deep: boolean): CheckJournal {
  const folder = folderOf(dataDir, deep);
  const store = folderStore(folder);
  async function forget(): Promise<void> {
    for (const name of [names.state, names.list, names.findings]) await store.remove(name);
    await store.sweep();
  }
  return {
    list: { write: (bytes) => store.write(names.list, bytes), read: () => store.read(names.list) },
    keepsList: true,
    async read() {
      const text = await textOf(store, names.state);
      const state = parsed<CheckState>(text ?? '');
      if (state?.format !== stateFormat || (!state.listed && !(await isWhole(store.read(names.list))))) return null;
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
    forget,
    async end(summary) {
      if (summary) await folderStore(join(dataDir, 'integrity')).write(summaryName, once(Buffer.from(JSON.stringify(summary))));
      await forget();
    },
    leave: async () => undefined,
  };
}

/** What deep checks of local storage have found. */
export async function readFolderIntegrity(dataDir: string): Promise<Integrity> {
  const [last, running] = await Promise.all([
    textOf(folderStore(join(dataDir, 'integrity')), summaryName).then((text) => parsed<CheckSummary>(text ?? '')),
    textOf(folderStore(folderOf(dataDir, true)), names.state).then((text) => parsed<CheckState>(text ?? '')),
  ]);
  return integrityOf(last, running);
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
