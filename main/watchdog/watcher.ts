import type { Session } from 'node:inspector';
import type { boardLayout } from './activity-board.ts';

/** The watchdog thread's configuration. */
export interface WatcherSettings {
  readonly memory: SharedArrayBuffer;
  readonly layout: typeof boardLayout;
  /** The number of looks without a beat that count as a stall. */
  readonly looks: number;
  /** Milliseconds between two looks. */
  readonly lookMs: number;
  /** How long to wait for the stack, in milliseconds. During a system call there is never a stack. */
  readonly stackMs: number;
  /** File descriptor, or file to append to. */
  readonly output: number | string;
  /** As a text line for people, not as JSON. */
  readonly plain: boolean;
}

/**
 * Runs in its own thread from its source text. A module would load the module loader and the type stripper into that
 * thread (40 MB in place of 15), and would have to be found in the desktop app's bundle. So it must not use anything
 * outside itself. Looks are counted, not time: sleep of the machine is not a stall.
 */
export function watch(): void {
  const { workerData } = process.getBuiltinModule('node:worker_threads');
  const { appendFileSync, writeSync } = process.getBuiltinModule('node:fs');
  const { memory, layout, looks, lookMs, stackMs, output, plain } = workerData as WatcherSettings;
  const beats = new Int32Array(memory, 0, 1);
  let last = -1;
  let still = 0;

  setInterval(() => {
    const now = Atomics.load(beats, 0);
    still = now === last ? still + 1 : 0;
    last = now;
    if (still === looks) stackOfMain((stack) => tell({ begun: lastBegun(), stack }));
  }, lookMs);

  /** The newest first. */
  function lastBegun(): string[] {
    const numbers = new DataView(memory);
    const found: { at: number; what: string }[] = [];
    for (let entry = 0; entry < layout.entries; entry++) {
      const start = layout.headBytes + entry * layout.entryBytes;
      const length = numbers.getInt32(start + 8);
      // TextDecoder does not accept shared memory.
      const what = Buffer.from(new Uint8Array(memory, start + layout.textAt, length)).toString();
      if (length > 0) found.push({ at: numbers.getFloat64(start), what });
    }
    found.sort((a, b) => b.at - a.at);
    return found.map(({ at, what }) => `${what} (${((Date.now() - at) / 1_000).toFixed(1)} s ago)`);
  }

  /** The call stack of the main thread, innermost first; empty during a system call, which cannot be interrupted. */
  function stackOfMain(done: (stack: string[]) => void): void {
    let session: Session | null = null;
    let over = false;
    const end = (stack: string[]): void => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      // Reported first: nothing after this line can delay it.
      done(stack);
      try {
        // Disconnects the debugger, so that the main thread continues.
        session?.disconnect();
      } catch {
        // The main thread has ended by itself.
      }
    };
    const timer = setTimeout(() => end([]), stackMs);
    try {
      const { Session } = process.getBuiltinModule('node:inspector');
      session = new Session();
      session.connectToMainThread();
      const urls = new Map<string, string>();
      session.on('Debugger.scriptParsed', ({ params }) => void urls.set(params.scriptId, params.url));
      session.on('Debugger.paused', ({ params }) => {
        end(
          params.callFrames
            .slice(0, 12)
            .map(
              ({ functionName, location }) =>
                `${functionName || '(anonymous)'} (${urls.get(location.scriptId) ?? ''}:${location.lineNumber + 1})`,
            ),
        );
      });
      session.post('Debugger.enable');
      session.post('Debugger.pause');
    } catch {
      end([]);
    }
  }

  function tell(facts: { begun: string[]; stack: string[] }): void {
    const seconds = Math.round((looks * lookMs) / 100) / 10;
    const message = `The event loop has stood for ${seconds} s: until it goes on, nothing is answered or moved`;
    const where = facts.stack.length > 0 ? facts.stack.join('\n  ') : 'a call to the system';
    const line = plain
      ? `${message}.\n  Begun last: ${facts.begun.join(', ') || 'nothing'}\n  In: ${where}\n`
      : `${JSON.stringify({ level: 50, time: Date.now(), pid: process.pid, begun: facts.begun, stack: facts.stack, msg: message })}\n`;
    try {
      if (typeof output === 'number') writeSync(output, line);
      else appendFileSync(output, line);
    } catch {
      // There is no other place to report it.
    }
  }
}
