import { createHmac, randomBytes } from 'node:crypto';
import type { SecretStore } from '../secrets/ports.ts';

const secretName = 'device';

/**
 * Identifies this agent to a service at sign-in, so that wrong passwords of others do not lock it out. It differs for
 * each service, so that services can neither reuse nor compare it.
 */
export async function deviceSecretFor({ secrets }: { readonly secrets: SecretStore }, serviceUrl: string): Promise<string> {
  let own = await secrets.get(secretName);
  if (own === null) {
    own = randomBytes(32).toString('base64url');
    await secrets.set(secretName, own);
  }
  return createHmac('sha256', own).update(new URL(serviceUrl).origin).digest('base64url');
}
