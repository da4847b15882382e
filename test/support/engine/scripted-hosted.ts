import type { HostedClient } from '#client/hosted.ts';

/** One call of a service that the test plays. */
export interface ScriptedCall {
  readonly name: string;
  readonly credential: unknown;
  readonly params: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal | undefined;
  answer(value?: unknown): void;
  refuse(error: Error): void;
}

/** A service whose every answer is the test's; a call whose signal is aborted rejects by itself. */
export interface ScriptedHosted {
  readonly client: HostedClient;
  /** All of them, in order. */
  readonly calls: readonly ScriptedCall[];
  /** Lets what was answered be received. */
  settle(): Promise<void>;
}

export function scriptedHosted(): ScriptedHosted {
  const calls: ScriptedCall[] = [];
  const clientAs = (credential: unknown) => ({
    as: clientAs,
    call(name: string, { params = {}, body = {}, signal }: { params?: object; body?: object; signal?: AbortSignal } = {}) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      if (signal?.aborted) reject(signal.reason as Error);
      calls.push({
        ...{ name, credential, signal, answer: resolve, refuse: reject },
        params: params as Record<string, unknown>,
        body: structuredClone(body) as Record<string, unknown>,
      });
      return promise;
    },
  });
  return {
    client: clientAs(null) as unknown as HostedClient,
    calls,
    settle: () => new Promise((resolve) => setImmediate(resolve)),
  };
}
