/**
 * A file on the disk that is being written. Browsers write into a copy that takes the file's place when it is closed:
 * what has not been closed is lost with the tab, and opening a file to go on copies what it has. So it is closed and
 * opened again in between, each time only when as much has come as there was, and a `step` at least: all copies together
 * stay below the size of the file, and a tab that dies loses half of it at most, or a step.
 */
export interface Sink {
  readonly handle: FileSystemFileHandle;
  write(offset: number, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Puts what was written in place where enough of it has come. True where it did. */
  settle(): Promise<boolean>;
  /** Puts what was written in place. */
  close(): Promise<void>;
  /** Drops what was written since the last time it was put in place. */
  abort(): Promise<void>;
}

/** Bytes: less than this is not worth putting in place. */
const step = 1024 ** 3;

/** Whether to put in place what was written, `written` bytes since there were `before`. */
export const worthSettling = (before: number, written: number, least: number = step): boolean => written >= Math.max(least, before);

/** `keep`: bytes of the file that are there already and stay. It is opened at the first write, so one that is whole is not copied. */
export function createSink(handle: FileSystemFileHandle, keep: number, least?: number): Sink {
  let stream: FileSystemWritableFileStream | null = null;
  let inPlace = keep;
  let written = 0;
  /** One thing after the other. */
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  }

  async function put(): Promise<void> {
    if (!stream) return;
    const closing = stream;
    stream = null;
    await closing.close();
    inPlace += written;
    written = 0;
  }

  return {
    handle,
    write: (position, data) =>
      inTurn(async () => {
        stream ??= await handle.createWritable({ keepExistingData: inPlace > 0 });
        await stream.write({ type: 'write', position, data });
        written += data.length;
      }),
    settle: () =>
      inTurn(async () => {
        if (!stream || !worthSettling(inPlace, written, least)) return false;
        await put();
        return true;
      }),
    close: () => inTurn(put),
    abort: () =>
      inTurn(async () => {
        const dropped = stream;
        stream = null;
        written = 0;
        await dropped?.abort().catch(() => undefined);
      }),
  };
}
