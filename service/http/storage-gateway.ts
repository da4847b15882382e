import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { createFindClientAddress } from '#net/client-address.ts';
import { defaultShares, MemoryBudget } from '#net/memory-budget.ts';
import { createGateway } from '#storage/packed/gateway.ts';
import type { PackedStorage } from '#storage/packed/packed-storage.ts';

export interface StorageGatewayOptions {
  readonly packed: PackedStorage;
  /** Of the signed addresses. */
  readonly secret: Uint8Array;
  readonly trustProxy: string | undefined;
  readonly now: () => Date;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

/** Path of the gateway, at the service's own address: nobody has to set up a further one. */
export const storageGatewayPath = '/storage';

const mebi = 1024 * 1024;
/** Memory in bytes for all who send, and as much for all who receive; separate, so that neither blocks the other. */
const memoryBytes = 256 * mebi;

/**
 * Takes and gives the bytes of small files that are packed in another storage (storage/packed/gateway.ts). Requests are
 * answered before Fastify reads anything of their bodies: what they may do is said by their signed addresses alone.
 */
export async function storageGateway(app: FastifyInstance, { packed, secret, trustProxy, now, log }: StorageGatewayOptions): Promise<void> {
  const findClientAddress = createFindClientAddress(trustProxy);
  const budget = () => new MemoryBudget({ bytes: memoryBytes, shares: defaultShares, now: () => performance.now() });
  const budgets = { in: budget(), out: budget() };
  const gateway = createGateway({
    packed,
    secret,
    now: () => now().getTime(),
    reserve({ socket, headers }, direction, cut) {
      const address = findClientAddress(socket.remoteAddress, headers['x-forwarded-for']);
      return budgets[direction].reserve({ address }, cut);
    },
    onTrouble: (error) => log.warn({ err: error, onceAMinute: `gateway ${error.message}` }, 'the storage met a problem'),
  });
  app.route({
    method: ['GET', 'POST', 'PUT', 'OPTIONS'],
    url: `${storageGatewayPath}/*`,
    onRequest: async (request, reply) => {
      reply.hijack();
      gateway(request.raw, reply.raw, storageGatewayPath);
    },
    // Never reached: the request is taken before.
    handler: async () => undefined,
  });
}
