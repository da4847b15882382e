/**
 * The latest activities of a program, in shared memory that the watchdog thread can read while the main thread is
 * blocked. A ring buffer: new entries replace the oldest, and nothing is allocated after the start.
 */
interface ActivityBoard {
  readonly memory: SharedArrayBuffer;
  /** Records that the event loop is alive. */
  beat(): void;
  /** Records the activity that begins now. The text must not contain a secret. */
  begun(what: string): void;
}

/**
 * Memory layout: the beat counter as an Int32, then the entries: start time (Float64, ms since 1970), length (Int32),
 * UTF-8.
 */
export const boardLayout = { entries: 4, headBytes: 16, entryBytes: 256, textAt: 12 } as const;

const { entries, headBytes, entryBytes, textAt } = boardLayout;

export function createActivityBoard(now: () => number): ActivityBoard {
  const memory = new SharedArrayBuffer(headBytes + entries * entryBytes);
  const beats = new Int32Array(memory, 0, 1);
  const numbers = new DataView(memory);
  const encoder = new TextEncoder();
  const texts = Array.from(
    { length: entries },
    (_, at) => new Uint8Array(memory, headBytes + at * entryBytes + textAt, entryBytes - textAt),
  );
  let next = 0;
  return {
    memory,
    beat: () => void Atomics.add(beats, 0, 1),
    begun(what) {
      const at = headBytes + next * entryBytes;
      numbers.setFloat64(at, now());
      numbers.setInt32(at + 8, encoder.encodeInto(what, texts[next]!).written);
      next = (next + 1) % entries;
    },
  };
}
