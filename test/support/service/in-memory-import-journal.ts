import { wholePath } from '#service/transfers/import/names.ts';
import type {
  ImportChange,
  ImportEntry,
  ImportedChunk,
  ImportItem,
  ImportJournal,
  JournaledEntry,
} from '#service/transfers/import/ports.ts';

type Row = JournaledEntry & { readonly isComplete: boolean; readonly failure: string };

/** What is kept of one transfer: another process finds it as it is. */
export interface ImportState {
  readonly items: (ImportItem & { readonly isKnown: boolean })[];
  readonly rows: Row[];
  readonly chunks: Map<number, Map<number, ImportedChunk>>;
  planned: boolean;
}

export const newImportState = (items: readonly Pick<ImportItem, 'id' | 'name' | 'kind'>[]): ImportState => ({
  items: items.map((item, position) => ({ ...item, position, cursor: null, isKnown: false })),
  rows: [],
  chunks: new Map(),
  planned: false,
});

const unmade = { fileId: null, chunkSize: 0, uploadId: null, storedBytes: 0 } as const;

/** What a change makes of a row; its chunks are those of `chunks`. */
function changed(row: Row, change: ImportChange, chunks: Map<number, ImportedChunk>): Row {
  switch (change.kind) {
    case 'created':
      return { ...row, ...unmade, fileId: change.fileId, chunkSize: change.chunkSize };
    case 'begun':
      return { ...row, uploadId: change.uploadId };
    case 'chunk':
      chunks.set(change.chunk.number, change.chunk);
      return { ...row, storedBytes: [...chunks.values()].reduce((sum, { size }) => sum + size, 0) };
    case 'complete':
      return { ...row, isComplete: true };
    case 'failed':
      return { ...row, failure: change.message };
    case 'reset':
      return { ...row, ...unmade };
    case 'changed': {
      const { size, etag, modified } = change;
      return { ...row, ...unmade, size, etag, modified, restarts: row.restarts + 1 };
    }
  }
}

function apply(state: ImportState, change: ImportChange): void {
  const { position, kind } = change;
  const keeps = kind === 'chunk' || kind === 'begun' || kind === 'failed';
  const chunks = (keeps ? state.chunks.get(position) : null) ?? new Map<number, ImportedChunk>();
  state.chunks.set(position, chunks);
  state.rows[position] = changed(state.rows[position]!, change, chunks);
}

/**
 * The journal of an import in memory. `hold` runs within each call, before what it does: it may wait, or reject. `finalized`
 * tells whether the package has a finalized file at a path.
 */
export function createInMemoryImportJournal(
  state: ImportState,
  finalized: (path: string) => boolean = () => false,
  hold: (call: string) => Promise<void> = async () => {},
): ImportJournal {
  return {
    async summary() {
      await hold('summary');
      const sum = (rows: readonly Row[], bytes: (row: Row) => number) => rows.reduce((total, row) => total + bytes(row), 0);
      return {
        planned: state.planned,
        total: { files: state.rows.length, bytes: sum(state.rows, ({ size }) => size) },
        done: {
          files: state.rows.filter(({ isComplete }) => isComplete).length,
          bytes: sum(state.rows, ({ isComplete, size, storedBytes }) => (isComplete ? size : storedBytes)),
        },
      };
    },

    async items(count) {
      await hold('items');
      return state.items.filter(({ isKnown }) => !isKnown).slice(0, count);
    },

    async add({ entries, items }) {
      await hold('add');
      const paths = new Set(state.rows.map(wholePath));
      const taken = entries.map((entry: ImportEntry) => wholePath(entry)).filter((path) => paths.size === paths.add(path).size);
      if (taken.length > 0) return taken;
      for (const entry of entries) {
        state.rows.push({ ...entry, ...unmade, position: state.rows.length, restarts: 0, isComplete: false, failure: '' });
      }
      for (const { position, cursor } of items) state.items[position] = { ...state.items[position]!, cursor, isKnown: cursor === null };
      return [];
    },

    async finishPlan() {
      await hold('finishPlan');
      const conflicts = state.rows
        .filter(({ kind }) => kind === 'file')
        .map(wholePath)
        .filter(finalized);
      if (conflicts.length === 0) state.planned = true;
      return conflicts;
    },

    async entries({ state: wanted, cursor, count }) {
      await hold('entries');
      const rest = state.rows.filter(({ position, isComplete }) => position > Number(cursor ?? -1) && !isComplete);
      const found = wanted === 'unfinished' ? rest : rest.filter(({ fileId }) => fileId !== null);
      const page = found.slice(0, count);
      return { entries: page, cursor: found.length > count ? String(page.at(-1)!.position) : null };
    },

    async chunks(position) {
      await hold('chunks');
      return [...(state.chunks.get(position)?.values() ?? [])].sort((one, other) => one.number - other.number);
    },

    async write(changes) {
      await hold('write');
      for (const change of changes) apply(state, change);
    },
  };
}
