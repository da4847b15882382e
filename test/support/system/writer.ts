import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A program of its own that writes files as a recorder does: it does what it is told, one thing after the other. */
export interface Writer {
  /** Bytes at the end of a file, which stays open. Those of the same seed are the same. */
  append(path: string, bytes: number, seed: number): Promise<void>;
  /** Text at a position of a file. */
  write(path: string, at: number, text: string): Promise<void>;
  truncate(path: string, size: number): Promise<void>;
  /** The file is not open any more. */
  close(path: string): Promise<void>;
  /** Ends it, with whatever it has open. */
  end(): Promise<void>;
}

const program = fileURLToPath(new URL('writer-process.ts', import.meta.url));

export function startWriter(): Writer {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
  let last: Promise<void> = Promise.resolve();
  const ask = (order: object): Promise<void> => {
    last = last.then(async () => {
      child.stdin.write(`${JSON.stringify(order)}\n`);
      if ((await answers.next()).done) throw new Error('The writer has ended.');
    });
    return last;
  };
  return {
    append: (path, bytes, seed) => ask({ do: 'append', path, bytes, seed }),
    write: (path, at, text) => ask({ do: 'write', path, at, text }),
    truncate: (path, size) => ask({ do: 'truncate', path, size }),
    close: (path) => ask({ do: 'close', path }),
    async end() {
      child.kill();
      await ended;
    },
  };
}
