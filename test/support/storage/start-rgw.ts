import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('./rgw-server.py', import.meta.url));

export interface StartedRgw {
  /** `http://127.0.0.1:…` */
  readonly endpoint: string;
  /** Runs `radosgw-admin` with these arguments, quoted as for a shell; one after the other. Gives what it printed; rejects if it failed. */
  admin(command: string): Promise<string>;
  close(): Promise<void>;
}

/** Starts Ceph's RADOS Gateway in a new folder. It ends when this process does; a Ctrl-C does not reach it. */
export async function startRgw(folder: string): Promise<StartedRgw> {
  await mkdir(folder);
  const child = spawn('/usr/bin/python3', [script, folder], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done) throw new Error('The RADOS Gateway has ended.');
    return value;
  };
  const port = /^ready (\d+)$/.exec(await nextLine())?.[1];
  let turn: Promise<unknown> = Promise.resolve();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    admin(command) {
      const answer = turn.then(async () => {
        child.stdin.write(`${command}\n`);
        const { code, out } = JSON.parse(await nextLine()) as { readonly code: number; readonly out: string };
        if (code !== 0) throw new Error(out);
        return out;
      });
      turn = answer.catch(() => undefined);
      return answer;
    },
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}
