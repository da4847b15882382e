import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type RgwAnswer, rgwVariable } from './rgw.ts';

const script = fileURLToPath(new URL('./rgw-server.py', import.meta.url));

/**
 * Vitest's global setup: one RADOS Gateway for all workers of a run. It starts when a test first asks, and ends with this
 * process, even if that is killed: its standard input ends then.
 */
export default async function lendRgw(): Promise<() => Promise<void>> {
  if (process.platform !== 'linux') return async () => undefined;
  const folder = await mkdtemp(join(tmpdir(), 'longshore-test-rgw-'));
  const borrowers = new Set<Socket>();
  let gateway: Promise<Gateway> | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  async function answer(line: string): Promise<RgwAnswer> {
    gateway ??= startGateway(join(folder, 'ceph'));
    const { endpoint, admin } = await gateway;
    return line === 'start' ? { endpoint } : admin(line);
  }

  const server = createServer((borrower) => {
    borrowers.add(borrower);
    borrower.once('close', () => borrowers.delete(borrower)).on('error', () => undefined);
    createInterface(borrower).on('line', (line) => {
      // The daemons answer one line after the other.
      turn = turn
        .then(() => answer(line))
        .catch((error: unknown): RgwAnswer => ({ error: String(error) }))
        .then((said) => borrower.write(`${JSON.stringify(said)}\n`));
    });
  });
  const path = join(folder, 'lender');
  server.listen(path);
  await once(server, 'listening');
  process.env[rgwVariable] = path;

  return async () => {
    server.close();
    for (const borrower of borrowers) borrower.destroy();
    await turn;
    await (await gateway?.catch(() => undefined))?.close();
    await rm(folder, { recursive: true, force: true });
  };
}

interface Gateway {
  readonly endpoint: string;
  admin(command: string): Promise<RgwAnswer>;
  close(): Promise<void>;
}

async function startGateway(folder: string): Promise<Gateway> {
  await mkdir(folder);
  const child: ChildProcess = spawn('/usr/bin/python3', [script, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done) throw new Error('The RADOS Gateway has ended.');
    return value;
  };
  const port = /^ready (\d+)$/.exec(await nextLine())?.[1];
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async admin(command) {
      child.stdin!.write(`${command}\n`);
      const { code, out } = JSON.parse(await nextLine()) as { readonly code: number; readonly out: string };
      return code === 0 ? { out } : { error: out };
    },
    async close() {
      child.stdin!.end();
      await ended;
    },
  };
}
