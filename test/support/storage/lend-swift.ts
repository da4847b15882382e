import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { startSwift, swiftVariable } from './swift.ts';

/** Vitest's global setup: one OpenStack Swift for all workers of a run. It starts when a test first asks. */
export default async function lendSwift(): Promise<() => Promise<void>> {
  let swift: ReturnType<typeof startSwift> | undefined;
  const server = createServer((borrower: Socket) => {
    borrower.on('error', () => undefined);
    swift ??= startSwift();
    swift.then(({ endpoint }) => borrower.end(endpoint)).catch((error: unknown) => borrower.end(String(error)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.env[swiftVariable] = String((server.address() as AddressInfo).port);

  return async () => {
    server.close();
    await (await swift?.catch(() => undefined))?.close();
  };
}
