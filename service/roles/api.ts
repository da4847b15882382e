import { type AppParts, buildApp } from '../app.ts';
import { createCredentialUsage } from '../credentials/credential-usage.ts';
import type { Listener } from '../http/listener.ts';

const flushMilliseconds = 10_000;

interface Api {
  /** Begins to answer requests; before that the listener answers 503. */
  serve(): void;
  /** Ends event streams, lets requests in progress finish for `drainMilliseconds`, and stores when credentials were used. */
  stop(drainMilliseconds: number): Promise<void>;
}

/** Prepares the hosted API on a listener that is open already. */
export async function prepareApi(listener: Listener, parts: Omit<AppParts, 'usage'>): Promise<Api> {
  const usage = createCredentialUsage(parts.services.db, parts.logger);
  const app = await buildApp({ ...parts, usage });
  await app.ready();
  let timer: NodeJS.Timeout | undefined;
  return {
    serve() {
      listener.serve(app.routing);
      timer = setInterval(() => void usage.flush(), flushMilliseconds);
      timer.unref();
    },
    async stop(drainMilliseconds) {
      clearInterval(timer);
      // Open streams and waiting polls would delay the close until they are cut off.
      await parts.services.events.close();
      await parts.services.gateways.close();
      await listener.close(drainMilliseconds);
      await app.close();
      await usage.flush();
    },
  };
}
