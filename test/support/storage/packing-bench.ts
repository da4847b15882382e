import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defaultShares, MemoryBudget } from '#net/memory-budget.ts';
import { createGateway } from '#storage/packed/gateway.ts';
import { type PackedStorage, withPacking } from '#storage/packed/packed-storage.ts';
import type { SegmentBase } from '#storage/packed/stored-segments.ts';

export const gatewaySecret = Buffer.alloc(32, 7);

export interface PackingBench extends PackedStorage {
  readonly url: string;
  close(): Promise<void>;
}

/** A storage whose small files are packed, and the gateway to them on a port of its own. */
export async function startPacking(base: SegmentBase, onTrouble: (error: Error) => void = () => undefined): Promise<PackingBench> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/storage`;
  const packed = withPacking(base, { secret: gatewaySecret, url });
  const memory = new MemoryBudget({ bytes: 64 * 1024 * 1024, shares: defaultShares, now: () => performance.now() });
  const gateway = createGateway({
    packed,
    secret: gatewaySecret,
    reserve: (_request, _direction, cut) => memory.reserve({ address: '127.0.0.1' }, cut),
    now: Date.now,
    onTrouble,
  });
  server.on('request', (request, response) => gateway(request, response, '/storage'));
  return {
    ...packed,
    url,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
