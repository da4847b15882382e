import { nothingSaved, type SaveOrder, type SaveProgress, type SaveTask } from './messages.ts';

/** A running save, as the page uses it. */
export interface Saving {
  /** The package's own folder. */
  readonly folder: string;
  progress(): SaveProgress;
  subscribe(listener: () => void): () => void;
  pause(): void;
  /**
   * Continues after a pause, a halt or failures. Asks for folder permission again where the browser needs it; false
   * where it is denied.
   */
  goOn(): Promise<boolean>;
  /** Stops. Data on the disk is kept. */
  close(): void;
}

/** Browser functions that saving needs. */
export interface SavingPorts {
  /** Lets a person choose a folder; null when cancelled. */
  pick(): Promise<FileSystemDirectoryHandle | null>;
  makeWorker(): Worker;
  readonly indexedDB: IDBFactory | undefined;
  readonly locks: LockManager | undefined;
}

interface Askable {
  requestPermission?(options: { readonly mode: 'readwrite' }): Promise<PermissionState>;
}

/** Whether a folder of an earlier visit is writable; asks the person. Must be called inside a click handler. */
export async function mayWrite(folder: FileSystemDirectoryHandle): Promise<boolean> {
  const asked = await (folder as Askable).requestPermission?.({ mode: 'readwrite' }).catch(() => 'denied' as const);
  return asked === undefined || asked === 'granted';
}

/** Starts saving. `onBroken` is called when the worker itself fails. */
export function startSaving(task: SaveTask, { makeWorker }: Pick<SavingPorts, 'makeWorker'>, onBroken: (reason: string) => void): Saving {
  const listeners = new Set<() => void>();
  const totalBytes = task.records.reduce((sum, { kind, size }) => sum + (kind === 'file' ? (size ?? 0) : 0), 0);
  const totalFiles = task.records.filter(({ kind }) => kind === 'file').length;
  let progress: SaveProgress = { ...nothingSaved, totalBytes, totalFiles };
  const worker = makeWorker();
  const order = (one: SaveOrder): void => worker.postMessage(one);
  worker.onmessage = ({ data }: MessageEvent<SaveProgress>) => {
    progress = data;
    for (const listener of listeners) listener();
  };
  worker.onerror = (event) => {
    event.preventDefault();
    onBroken(event.message);
  };
  order({ kind: 'begin', task });
  return {
    folder: task.folder.name,
    progress: () => progress,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    pause: () => order({ kind: 'pause' }),
    async goOn() {
      if (!(await mayWrite(task.folder))) return false;
      order({ kind: 'go_on' });
      return true;
    },
    close: () => worker.terminate(),
  };
}

/** The folder picker, in browsers that have it. */
export interface PickerWindow {
  showDirectoryPicker?(options: {
    readonly id: string;
    readonly mode: 'readwrite';
    readonly startIn: 'downloads';
  }): Promise<FileSystemDirectoryHandle>;
}

/** Null in a browser without it: there the zip is offered. */
export function folderPicker(place: PickerWindow): SavingPorts['pick'] | null {
  if (!place.showDirectoryPicker) return null;
  return async () => {
    try {
      return await place.showDirectoryPicker!({ id: 'longshore', mode: 'readwrite', startIn: 'downloads' });
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') return null;
      throw error;
    }
  };
}
