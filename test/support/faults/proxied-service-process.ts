import { join } from 'node:path';
import type { AuthResult, CreatedApiKey } from '#protocol/hosted/accounts.ts';
import { canBorrow } from '../service/databases/borrow.ts';
import { ownerEmail, ownerPassword, usualOwner } from '../service/owner.ts';
import { startedTestDatabase } from '../service/postgres.ts';
import { callAt } from '../service/start-service.ts';
import { type ServiceProcess, startServiceProcess } from '../service/start-service-process.ts';
import { copyStartedFolder } from '../service/started-folder.ts';
import { tempFolder } from '../system/temp-folder.ts';
import type { InspectedService } from './invariants.ts';
import { type FaultProxy, startFaultProxy } from './proxy/proxy.ts';
import { createSkewedClock, type SkewedClock } from './skewed-clock.ts';

/** A proxy that can be told where its requests go. */
type Upstream = Pick<FaultProxy, 'url' | 'upstream' | 'close'>;

/** A service in a process of its own, behind two proxies that stay while it is killed and started again. */
export interface ProxiedServiceProcess<S extends Upstream = FaultProxy> extends InspectedService {
  readonly api: FaultProxy;
  readonly storage: S;
  /** The service's own. */
  readonly clock: SkewedClock;
  kill(): Promise<void>;
  /** In order. */
  stop(): Promise<void>;
  /** After either; where it answers then is nobody's concern but the proxies'. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param options with a PostgreSQL of its own, which is killed with it, only where that is the point: starting one takes half a second
 * of CPU each time. Else its database is one of those that tests share, and outlives it
 */
export async function startProxiedServiceProcess(options?: { readonly privateDatabase: true }): Promise<ProxiedServiceProcess>;
/** @param given the proxy in front of the storage, which is closed with it; and the longest body that the storage takes, in bytes */
export async function startProxiedServiceProcess<S extends Upstream>(given: {
  readonly storage: S;
  readonly storageMaxBody: number;
}): Promise<ProxiedServiceProcess<S>>;
export async function startProxiedServiceProcess(
  given: { readonly storage?: Upstream; readonly storageMaxBody?: number; readonly privateDatabase?: true } = {},
): Promise<ProxiedServiceProcess<Upstream>> {
  const folder = await tempFolder();
  const dataDir = join(folder.path, 'data');
  const owner = usualOwner;
  const postgres = given.privateDatabase || !canBorrow() ? null : await startedTestDatabase(dataDir);
  if (!postgres) await copyStartedFolder(dataDir, owner);
  const [api, storage] = [await startFaultProxy(), given.storage ?? (await startFaultProxy())];
  const more = {
    ...(given.storageMaxBody !== undefined && { storageMaxBody: given.storageMaxBody }),
    ...(postgres && { databaseUrl: postgres.url }),
  };
  const clock = createSkewedClock(join(folder.path, 'clock'));
  let running: ServiceProcess;
  const start = async (): Promise<void> => {
    running = await startServiceProcess({ dataDir, owner, publicUrl: api.url, storagePublicUrl: storage.url, ...more }, clock);
    api.upstream = running.url;
    storage.upstream = running.storageUrl;
  };
  await start();
  const call: InspectedService['call'] = (...request) => callAt(running.url)(...request);
  const auth = await call<AuthResult>('POST', '/v1/auth', { body: { email: ownerEmail, password: ownerPassword } });
  const teamId = auth.body.teams[0]!.id;
  const key = await call<CreatedApiKey>('POST', `/v1/teams/${teamId}/api_keys`, {
    headers: { 'x-user-token': auth.body.token },
    body: { name: 'Tests', state: 'active' },
  });
  return {
    call,
    teamId,
    apiKey: key.body.key,
    dataDir,
    api,
    storage,
    clock,
    kill: () => running.kill(),
    stop: () => running.stop(),
    start,
    async close() {
      await running.stop();
      await postgres?.close();
      await api.close();
      await storage.close();
      await folder.remove();
    },
  };
}
