import type { FastifyInstance } from 'fastify';
import { createIsProxy } from '#net/client-address.ts';
import { isPublicAddress } from '#net/public-addresses.ts';

/**
 * Says once in the log that a nearby proxy is not named by `--trust-proxy`: all its callers then share one address's limits, and
 * nothing else tells why they are 429. Others may put any header into a request, so public addresses are no proxies here.
 */
export function tellOfUnnamedProxy(app: FastifyInstance, trustProxy: string | undefined): void {
  const isProxy = createIsProxy(trustProxy);
  let told = false;
  app.addHook('onRequest', ({ headers, raw, log }, _, done) => {
    const peer = raw.socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/i, '');
    if (!told && headers['x-forwarded-for'] !== undefined && peer !== undefined && !isPublicAddress(peer) && !isProxy(peer)) {
      told = true;
      log.warn({ proxy: peer }, 'a proxy that --trust-proxy does not name: all its callers count as one address');
    }
    done();
  });
}
