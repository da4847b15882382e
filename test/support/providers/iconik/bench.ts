import { iconikConfig } from '#providers/iconik/config.ts';
import { createIconikProvider } from '#providers/iconik/iconik-provider.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { startIconikServer } from './server.ts';
import type { World } from './world.ts';

export interface IconikBench {
  readonly world: World;
  /** Origin. */
  readonly endpoint: string;
  readonly authorization: Readonly<Record<'application_id' | 'application_token' | 'storage_id', string>>;
  /** A provider that knows nothing of the others. */
  create(fields?: Readonly<Record<string, string>>): CloudProvider;
  close(): Promise<void>;
}

/** A simulated iconik whose storage has this method, and providers for it. Parts have 256 KiB at least. */
export async function openIconikBench(method: 'S3' | 'GCS'): Promise<IconikBench> {
  const { world, endpoint, close } = await startIconikServer();
  world.storage.method = method;
  const { account, storage } = world;
  const authorization = { application_id: account.applicationId, application_token: account.token, storage_id: storage.id };
  const providers: CloudProvider[] = [];
  return {
    world,
    endpoint,
    authorization,
    create(fields = {}) {
      const environment = { mayConnect: () => true, now: () => new Date() };
      const provider = createIconikProvider(iconikConfig({ ...authorization, ...fields }), environment, {
        endpoint,
        smallestPart: world.smallestPart,
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
