import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Template, TestCluster } from './cluster.ts';
import { removeAfterUs } from './remove-after-exit.ts';

/** Where tests ask for databases: a Unix socket, in the environment of every worker. */
export const lenderVariable = 'LONGSHORE_TEST_DATABASES';

/** What a worker sends as a line of JSON; it keeps the connection for as long as it wants the database. */
export interface Wanted {
  readonly template: Template;
}

/** What it is answered with. */
export type Lent = { readonly url: string; readonly dataDir: string } | { readonly error: string };

/**
 * Vitest's global setup: one PostgreSQL for all workers of a run. It starts when a test first asks, and a database is
 * dropped when the connection that asked for it closes, so that a killed worker leaves none.
 */
export default async function lendDatabases(): Promise<() => Promise<void>> {
  if (process.platform === 'win32') return async () => undefined;
  const folder = await mkdtemp(join(tmpdir(), 'longshore-test-lender-'));
  const forget = removeAfterUs(folder);
  const borrowers = new Set<Socket>();
  let cluster: Promise<TestCluster> | undefined;
  /** One at a time, as each holds the cluster's lock anyway. */
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  };

  async function lend(borrower: Socket, { template }: Wanted): Promise<Lent> {
    // Loaded here: most runs of a single file need none of it.
    cluster ??= import('./cluster.ts').then(({ startTestCluster }) => startTestCluster());
    const { create, drop, dataDir } = await cluster;
    const { name, url } = await inTurn(() => create(template));
    const giveBack = () => void inTurn(() => drop(name)).catch((error: unknown) => console.error(`${name} was not dropped:`, error));
    if (borrower.closed) giveBack();
    else borrower.once('close', giveBack);
    return { url, dataDir };
  }

  const server = createServer((borrower) => {
    borrowers.add(borrower);
    borrower.once('close', () => borrowers.delete(borrower)).on('error', () => undefined);
    createInterface(borrower).once('line', (line) => {
      void lend(borrower, JSON.parse(line) as Wanted)
        .catch((error: unknown): Lent => ({ error: String(error) }))
        .then((lent) => borrower.write(`${JSON.stringify(lent)}\n`));
    });
  });
  const path = join(folder, 'lender');
  server.listen(path);
  await once(server, 'listening');
  process.env[lenderVariable] = path;

  return async () => {
    server.close();
    for (const borrower of borrowers) borrower.destroy();
    await turn;
    // One that could not start has said so to whoever asked.
    await (await cluster?.catch(() => undefined))?.close();
    await rm(folder, { recursive: true, force: true });
    forget();
  };
}
