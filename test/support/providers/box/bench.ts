import { createBoxProvider } from '#providers/box/box-provider.ts';
import { boxConfig } from '#providers/box/config.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { startBoxServer } from './server.ts';
import type { World } from './world.ts';

export interface BoxBench {
  readonly world: World;
  /** Milliseconds that our clock is ahead. */
  readonly ours: { clockOffset: number };
  readonly authorization: Readonly<Record<string, string>>;
  /** A provider that knows nothing of the others. */
  create(fields?: Readonly<Record<string, string>>): CloudProvider;
  close(): Promise<void>;
}

/** A simulated Box, and providers for its app. Files of 2000 bytes go in parts of 1000. */
export async function openBoxBench(): Promise<BoxBench> {
  const { world, endpoint, close } = await startBoxServer();
  const authorization = {
    client_id: world.clientId,
    client_secret: world.clientSecret,
    public_key_id: world.publicKeyId,
    private_key: world.privateKeyPem,
    passphrase: world.passphrase,
    enterprise_id: world.enterpriseId,
  };
  const ours = { clockOffset: 0 };
  const providers: CloudProvider[] = [];
  return {
    world,
    ours,
    authorization,
    create(fields = {}) {
      const environment = { mayConnect: () => true, now: () => new Date(Date.now() + ours.clockOffset) };
      const addresses = { apiUrl: endpoint, uploadUrl: endpoint, tokenUrl: `${endpoint}/oauth2/token` };
      const provider = createBoxProvider(boxConfig({ ...authorization, ...fields }), environment, {
        ...addresses,
        chunkedFrom: world.smallestSession,
        commitPause: 1,
      });
      providers.push(provider);
      return provider;
    },
    async close() {
      for (const provider of providers) await provider.close();
      await close();
    },
  };
}
