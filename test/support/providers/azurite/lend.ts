import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type RunningAzurite, startAzurite } from './start.ts';

/** Where tests ask for Azurite: a port on 127.0.0.1, in the environment of every worker. */
export const azuriteVariable = 'LONGSHORE_TEST_AZURITE';

/** Vitest's global setup: one Azurite for all workers of a run. It starts when a test first asks. */
export default async function lendAzurite(): Promise<() => Promise<void>> {
  let azurite: Promise<RunningAzurite> | undefined;
  const server = createServer((borrower: Socket) => {
    borrower.on('error', () => undefined);
    azurite ??= startAzurite();
    azurite.then(({ url }) => borrower.end(url)).catch((error: unknown) => borrower.end(String(error)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.env[azuriteVariable] = String((server.address() as AddressInfo).port);

  return async () => {
    server.close();
    await (await azurite?.catch(() => undefined))?.close();
  };
}
