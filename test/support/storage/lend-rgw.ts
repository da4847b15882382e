import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type RgwAnswer, rgwVariable } from './rgw.ts';
import { type StartedRgw, startRgw } from './start-rgw.ts';

/**
 * Vitest's global setup: one RADOS Gateway for all workers of a run. It starts when a test first asks, and ends with this
 * process, even if that is killed: its standard input ends then.
 */
export default async function lendRgw(): Promise<() => Promise<void>> {
  if (process.platform !== 'linux') return async () => undefined;
  const folder = await mkdtemp(join(tmpdir(), 'longshore-test-rgw-'));
  const borrowers = new Set<Socket>();
  let gateway: Promise<StartedRgw> | undefined;

  async function answer(line: string): Promise<RgwAnswer> {
    gateway ??= startRgw(join(folder, 'ceph'));
    const { endpoint, admin } = await gateway;
    return line === 'start' ? { endpoint } : { out: await admin(line) };
  }

  const server = createServer((borrower) => {
    borrowers.add(borrower);
    borrower.once('close', () => borrowers.delete(borrower)).on('error', () => undefined);
    createInterface(borrower).on('line', (line) => {
      void answer(line)
        .catch((error: unknown): RgwAnswer => ({ error: error instanceof Error ? error.message : String(error) }))
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
    await (await gateway?.catch(() => undefined))?.close();
    await rm(folder, { recursive: true, force: true });
  };
}
