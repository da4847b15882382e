import { nothingSaved, type SaveOrder, type SaveProgress, type SaveTask } from './messages.ts';

/** A package that is being saved, as the page sees it. */
export interface Saving {
  /** The package's own folder. */
  readonly folder: string;
  progress(): SaveProgress;
  subscribe(listener: () => void): () => void;
  pause(): void;
  /** After a pause, a halt or failures; asks for the folder again where the browser wants it. False where it may not be written into. */
  goOn(): Promise<boolean>;
  /** Ends it. What is on the disk stays there. */
  close(): void;
}

/** What saving needs of the browser. */
export interface SavingPorts {
  /** Lets a person choose a folder; null where they did not. */
  pick(): Promise<FileSystemDirectoryHandle | null>;
  makeWorker(): Worker;
  readonly indexedDB: IDBFactory | undefined;
  readonly locks: LockManager | undefined;
}

interface Askable {
  requestPermission?(options: { readonly mode: 'readwrite' }): Promise<PermissionState>;
}

/** Whether a folder of an earlier visit may be written into; asks the person. It has to be called while a click is handled. */
export async function mayWrite(folder: FileSystemDirectoryHandle): Promise<boolean> {
  const asked = await (folder as Askable).requestPermission?.({ mode: 'readwrite' }).catch(() => 'denied' as const);
  return asked === undefined || asked === 'granted';
}

/** Begins. `onBroken` hears when the worker itself fails. */
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

/** Where a browser lets pages write into folders. */
export interface PickerWindow {
  showDirectoryPicker?(options: {
    readonly id: string;
    readonly mode: 'readwrite';
    readonly startIn: 'downloads';
  }): Promise<FileSystemDirectoryHandle>;
}

/** Null in a browser that cannot: there it is the zip. */
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
