import { frameioConfig } from '#providers/frameio/config.ts';
import { createFrameioProvider } from '#providers/frameio/frameio-provider.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { startFrameioServer } from './server.ts';
import type { World } from './world.ts';

export interface FrameioBench {
  readonly world: World;
  /** Origin of everything. */
  readonly endpoint: string;
  /** Milliseconds that our clock is ahead. */
  readonly ours: { clockOffset: number };
  readonly authorization: Readonly<Record<string, string>>;
  /** A provider that knows nothing of the others. */
  create(fields?: Readonly<Record<string, string>>): CloudProvider;
  close(): Promise<void>;
}

/** A simulated Frame.io, and providers for its project. */
export async function openFrameioBench(): Promise<FrameioBench> {
  const { world, endpoint, close } = await startFrameioServer();
  const authorization = {
    auth_strategy: 'server',
    client_id: world.clientId,
    client_secret: world.clientSecret,
    account_id: world.accountId,
    workspace_id: world.workspaceId,
    project_id: world.projectId,
  };
  const ours = { clockOffset: 0 };
  const providers: CloudProvider[] = [];
  return {
    world,
    endpoint,
    ours,
    authorization,
    create(fields = {}) {
      const environment = { mayConnect: () => true, now: () => new Date(Date.now() + ours.clockOffset) };
      const addresses = { apiUrl: endpoint, tokenUrl: `${endpoint}/ims/token/v3` };
      const provider = createFrameioProvider(frameioConfig({ ...authorization, ...fields }), environment, {
        ...addresses,
        completePause: 1,
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
