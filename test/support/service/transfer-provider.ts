import type { CloudProvider } from '#providers/ports.ts';
import { type Cloud, createInMemoryProvider, newCloud } from '#test/support/providers/in-memory-provider.ts';
import type { TestService } from '#test/support/service/start-service.ts';

/** A cloud in memory in place of every provider that the service opens. */
export interface FakeClouds {
  readonly cloud: Cloud;
  /** Does something before each call of a provider, such as waiting or failing. */
  before: (call: keyof CloudProvider, request: unknown, signal: AbortSignal) => Promise<void>;
}

export function useInMemoryClouds(t: Pick<TestService, 'services'>): FakeClouds {
  const clouds: FakeClouds = { cloud: newCloud(), before: async () => undefined };
  const open = async (): Promise<CloudProvider> => {
    const provider = createInMemoryProvider(clouds.cloud);
    return new Proxy(provider, {
      get(target, name: keyof CloudProvider) {
        const value = target[name];
        if (typeof value !== 'function' || name === 'renew' || name === 'close') return value;
        return async (request: unknown, signal: AbortSignal) => {
          await clouds.before(name, request, signal);
          return await (value as (request: unknown, signal: AbortSignal) => Promise<unknown>).call(target, request, signal);
        };
      },
    });
  };
  for (const { services } of t.services) {
    Object.assign(services, {
      cloudProviders: { open, use: async <T>(_: unknown, work: (one: CloudProvider) => Promise<T>) => await work(await open()) },
    });
  }
  return clouds;
}
