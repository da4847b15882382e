import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import type { Template } from './cluster.ts';
import { type Lent, lenderVariable, type Wanted } from './lend.ts';

export interface BorrowedDatabase {
  /** As an operator gives it: `postgres://…`. */
  readonly url: string;
  /** The data folder that belongs to a `started` one, to be copied. */
  readonly dataDir: string;
  /** Has it dropped. */
  giveBack(): void;
}

/** Whether there are any: not in a script that the runner does not run. */
export const canBorrow = (): boolean => process.env[lenderVariable] !== undefined;

/** A database of this test's own in the PostgreSQL that all tests of a run share. It goes with this process at the latest. */
export async function borrowDatabase(template: Template): Promise<BorrowedDatabase> {
  const socket = connect(process.env[lenderVariable]!);
  await once(socket, 'connect');
  const line = once(createInterface(socket), 'line') as Promise<[string]>;
  const ended = once(socket, 'close').then(() => ['{"error":"whoever lends databases is gone"}'] as const);
  const wanted: Wanted = { template };
  socket.write(`${JSON.stringify(wanted)}\n`);
  const lent = JSON.parse((await Promise.race([line, ended]))[0]) as Lent;
  if ('error' in lent) throw new Error(`There is no database for this test: ${lent.error}`);
  socket.on('error', () => undefined).unref();
  return { ...lent, giveBack: () => socket.destroy() };
}
