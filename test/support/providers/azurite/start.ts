import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./azurite-process.ts', import.meta.url));

export interface RunningAzurite {
  /** `http://127.0.0.1:…`, without the account. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts Azurite. It ends when this process does; a Ctrl-C does not reach it. */
export async function startAzurite(): Promise<RunningAzurite> {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const listening = new Promise<string>((resolve) => {
    // One line a request follows, which nobody reads.
    lines.on('line', (line) => {
      const url = /listens on (http:\/\/\S+)/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  const url = await Promise.race([listening, ended.then(() => null)]);
  if (url === null) throw new Error('Azurite ended at once.');
  return {
    url,
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}
