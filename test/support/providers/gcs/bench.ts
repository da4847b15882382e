import { gcsConfig } from '#providers/gcs/config.ts';
import { createGcsProvider } from '#providers/gcs/gcs-provider.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { type GcsServer, startGcsServer } from './server.ts';
import type { World } from './world.ts';

export interface GcsBench {
  readonly world: World;
  /** Milliseconds that our clock is ahead. */
  readonly ours: { clockOffset: number };
  readonly authorization: Readonly<Record<'client_email' | 'private_key' | 'destination', string>>;
  /** A provider that knows nothing of the others. */
  create(fields?: Readonly<Record<string, string>>): CloudProvider;
  close(): Promise<void>;
}

/** A simulated Cloud Storage, and providers for its bucket. */
export async function openGcsBench(): Promise<GcsBench> {
  const { world, endpoint, tokenUrl, close }: GcsServer = await startGcsServer();
  const authorization = { client_email: world.account.email, private_key: world.privateKeyPem, destination: world.bucket };
  const ours = { clockOffset: 0 };
  const providers: CloudProvider[] = [];
  return {
    world,
    ours,
    authorization,
    create(fields = {}) {
      const environment = { mayConnect: () => true, now: () => new Date(Date.now() + ours.clockOffset) };
      const provider = createGcsProvider(gcsConfig({ ...authorization, ...fields }), environment, { endpoint, tokenUrl });
      providers.push(provider);
      return provider;
    },
    async close() {
      for (const provider of providers) await provider.close();
      await close();
    },
  };
}
