/**
 * A file being written to disk. Browsers write into a copy that replaces the file on close: unclosed data is lost with
 * the tab, and reopening a file copies its content. So the file is closed and reopened in between, each time only after
 * it has doubled, and grown by a `step` at least. All copies together stay below the file's size, and a lost tab costs
 * at most half of the file, or a step.
 */
export interface Sink {
  readonly handle: FileSystemFileHandle;
  write(offset: number, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Commits the written data if it has grown enough. True where it did. */
  settle(): Promise<boolean>;
  /** Commits the written data. */
  close(): Promise<void>;
  /** Drops the data written since the last commit. */
  abort(): Promise<void>;
}

/** Bytes. A smaller amount is not worth a commit. */
const step = 1024 ** 3;

/** Whether a commit is worth it: `written` bytes since the last one, `before` bytes earlier. */
export const worthSettling = (before: number, written: number, least: number = step): boolean => written >= Math.max(least, before);

/** `keep`: bytes of the existing file to keep. It is opened at the first write, so a complete file is not copied. */
export function createSink(handle: FileSystemFileHandle, keep: number, least?: number): Sink {
  let stream: FileSystemWritableFileStream | null = null;
  let inPlace = keep;
  let written = 0;
  /** Serializes all operations. */
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
