import { startTestService, type TestService, type TestServiceOptions } from '../service/start-service.ts';
import { type FaultProxy, startFaultProxy } from './proxy/proxy.ts';

/** A service of which the API and the storage are each reached through a proxy that makes faults. */
export interface ProxiedService {
  readonly service: TestService;
  readonly api: FaultProxy;
  readonly storage: FaultProxy;
  /** Throws unless every planned fault has happened; then both are as if new. */
  verify(): Promise<void>;
  close(): Promise<void>;
}

export async function startProxiedService(options: TestServiceOptions = {}): Promise<ProxiedService> {
  const [api, storage] = [await startFaultProxy(), await startFaultProxy()];
  const service = await startTestService({ publicUrl: api.url, storagePublicUrl: storage.url, ...options });
  const straighten = (): void => {
    api.upstream = service.url;
    storage.upstream = service.storageUrl;
    for (const proxy of [api, storage]) {
      proxy.rate = 0;
      proxy.stalling = 'none';
      proxy.down = false;
    }
  };
  straighten();
  return {
    service,
    api,
    storage,
    async verify() {
      straighten();
      const outcomes = await Promise.allSettled([api.verify(), storage.verify()]);
      const problems = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [(outcome.reason as Error).message] : []));
      if (problems.length > 0) throw new Error(problems.join('\n'));
    },
    async close() {
      await service.close();
      await api.close();
      await storage.close();
    },
  };
}
