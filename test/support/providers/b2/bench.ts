import { createB2Provider } from '#providers/b2/b2-provider.ts';
import { b2Config } from '#providers/b2/config.ts';
import type { CloudProvider, ProviderEnvironment } from '#providers/ports.ts';
import { startB2Server } from './server.ts';
import type { ApplicationKey, Host, World } from './world.ts';

export interface B2Bench {
  readonly world: World;
  /** Where each of Backblaze's hosts is. */
  readonly origins: Readonly<Record<Host, string>>;
  /** Milliseconds that our clock is ahead. */
  readonly ours: { clockOffset: number };
  /** A provider that knows nothing of the others. */
  create(key?: Pick<ApplicationKey, 'id' | 'secret'>, bucket?: string, environment?: Partial<ProviderEnvironment>): CloudProvider;
  close(): Promise<void>;
}

/** A simulated B2, and providers for its bucket: with its master key, so that the way is the native one. */
export async function openB2Bench(): Promise<B2Bench> {
  const { world, endpoint, origins, close } = await startB2Server();
  const ours = { clockOffset: 0 };
  const providers: CloudProvider[] = [];
  return {
    world,
    origins,
    ours,
    create({ id, secret } = world.masterKey, destination = world.bucket.name, changed = {}) {
      const environment = { mayConnect: () => true, now: () => new Date(Date.now() + ours.clockOffset), ...changed };
      const provider = createB2Provider(b2Config({ client_id: id, client_secret: secret, destination }), environment, { endpoint });
      providers.push(provider);
      return provider;
    },
    async close() {
      for (const provider of providers) await provider.close();
      await close();
    },
  };
}
