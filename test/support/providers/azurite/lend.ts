import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Where tests ask for Azurite: a port on 127.0.0.1, in the environment of every worker. */
export const azuriteVariable = 'LONGSHORE_TEST_AZURITE';

const program = fileURLToPath(new URL('./azurite-process.ts', import.meta.url));

/** Starts Azurite. It ends when this process does. */
async function start(): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit').then(() => {
    throw new Error('Azurite ended at once.');
  });
  ended.catch(() => undefined);
  const lines = createInterface({ input: child.stdout });
  const listening = new Promise<string>((resolve) => {
    // One line a request follows, which nobody reads.
    lines.on('line', (line) => {
      const url = /listens on (http:\/\/\S+)/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  return { child, url: await Promise.race([listening, ended]) };
}

/** Vitest's global setup: one Azurite for all workers of a run. It starts when a test first asks. */
export default async function lendAzurite(): Promise<() => Promise<void>> {
  let azurite: ReturnType<typeof start> | undefined;
  const server = createServer((borrower: Socket) => {
    borrower.on('error', () => undefined);
    azurite ??= start();
    azurite.then(({ url }) => borrower.end(url)).catch((error: unknown) => borrower.end(String(error)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.env[azuriteVariable] = String((server.address() as AddressInfo).port);

  return async () => {
    server.close();
    const running = await azurite?.catch(() => undefined);
    if (!running) return;
    const ended = once(running.child, 'exit');
    running.child.stdin?.end();
    await ended;
  };
}
