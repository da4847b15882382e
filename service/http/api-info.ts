import { webhookCalls } from '#protocol/hosted/webhook-events.ts';
import type { ApiInfo } from '#protocol/openapi.ts';

/** What the descriptions of the hosted API say of it as a whole. `serverUrl` has no slash at the end. */
export function hostedApiInfo({ version, serverUrl }: { readonly version: string; readonly serverUrl: string }): ApiInfo {
  return {
    title: 'Longshore API',
    version,
    description: 'Sends large files in packages, and lets recipients download them through links.',
    serverUrl,
    idempotencyKeys: true,
    webhooks: webhookCalls,
  };
}
