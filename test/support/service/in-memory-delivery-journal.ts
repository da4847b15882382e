import type { UploadHandle } from '#providers/ports.ts';
import {
  type DeliveredObject,
  type DeliveryFile,
  type DeliveryJournal,
  type JournalChange,
  type JournaledFile,
  manifestId,
} from '#service/transfers/delivery/ports.ts';

interface Row {
  readonly target: string | null;
  readonly upload: UploadHandle | null;
  readonly storedBytes: number;
  readonly object: DeliveredObject | null;
  readonly failure: string;
}

/** What is kept of one transfer: another process finds it as it is. */
export interface DeliveryState {
  readonly files: readonly DeliveryFile[];
  readonly rows: Map<string, Row>;
  readonly names: Map<string, string>;
  /** Folders claimed at the destination, each with its transfer: one for all transfers there. */
  readonly claims: Map<string, DeliveryState>;
  folder: string | null;
}

const newRow: Row = { target: null, upload: null, storedBytes: 0, object: null, failure: '' };

export function newDeliveryState(files: readonly DeliveryFile[], claims: DeliveryState['claims'] = new Map()): DeliveryState {
  const sorted = [...files].sort((one, other) => (one.path < other.path ? -1 : 1));
  return { files: sorted, rows: new Map(), names: new Map(), claims, folder: null };
}

export const rowOf = (state: DeliveryState, id: string): Row => state.rows.get(id) ?? newRow;

function changed(row: Row, change: JournalChange): Row {
  switch (change.kind) {
    case 'begun':
      // As it is stored: JSON.
      return { ...newRow, target: change.target, upload: JSON.parse(JSON.stringify(change.upload)) as UploadHandle };
    case 'stored':
      return { ...row, storedBytes: change.bytes };
    case 'complete':
      return { ...newRow, target: change.target, object: change.object };
    case 'failed':
      return { ...row, failure: change.message };
    case 'reset':
      return newRow;
  }
}

/** The journal of a delivery in memory. `hold` runs within each call, before what it does: it may wait, or reject. */
export function createInMemoryJournal(state: DeliveryState, hold: (call: string) => Promise<void> = async () => {}): DeliveryJournal {
  const isComplete = (other: DeliveryState): boolean => other.files.every(({ id }) => rowOf(other, id).object !== null);
  const entryOf = (file: DeliveryFile): JournaledFile => {
    const { failure: _, ...row } = rowOf(state, file.id);
    return { file, ...row };
  };
  const isIn = {
    unfinished: ({ object }: JournaledFile) => object === null,
    begun: ({ upload }: JournaledFile) => upload !== null,
    complete: ({ object }: JournaledFile) => object !== null,
  };

  return {
    async summary() {
      await hold('summary');
      const rows = state.files.map((file) => ({ file, row: rowOf(state, file.id) }));
      const complete = rows.filter(({ row }) => row.object);
      const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);
      const { upload, object } = rowOf(state, manifestId);
      return {
        folder: state.folder,
        total: { files: rows.length, bytes: sum(rows.map(({ file }) => file.size)) },
        done: {
          files: complete.length,
          bytes: sum(rows.map(({ file, row }) => (row.object ? file.size : row.storedBytes))),
        },
        leftOut: complete.filter(({ row }) => row.object?.id === '').length,
        manifest: { upload, object },
      };
    },

    async claimFolder({ folder, key }) {
      await hold('claimFolder');
      const owner = state.claims.get(key);
      if (owner && owner !== state && !isComplete(owner)) return 'taken';
      state.claims.set(key, state);
      state.folder = folder;
      return 'claimed';
    },

    async releaseFolder() {
      await hold('releaseFolder');
      for (const [key, owner] of state.claims) if (owner === state) state.claims.delete(key);
      state.names.clear();
      state.folder = null;
    },

    async claimNames(claims) {
      await hold('claimNames');
      return claims.map(({ key, owner }) => {
        const first = state.names.get(key) ?? owner;
        state.names.set(key, first);
        return first;
      });
    },

    async files({ state: wanted, kind, cursor, count }) {
      await hold('files');
      const rest = state.files.filter(({ path, kind: one }) => (cursor === null || path > cursor) && (kind ?? one) === one);
      const found = rest.map(entryOf).filter(isIn[wanted]);
      const page = found.slice(0, count);
      return { files: page, cursor: found.length > count ? page.at(-1)!.file.path : null };
    },

    async write(changes) {
      await hold('write');
      for (const change of changes) state.rows.set(change.id, changed(rowOf(state, change.id), change));
    },
  };
}
