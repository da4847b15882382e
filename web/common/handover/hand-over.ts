import { ServiceError } from '#client/errors.ts';
import type { HandoverPart } from '#protocol/hosted/handovers.ts';
import { handoverAddress } from './address.ts';
import type { HandoverClient } from './calls.ts';

/** A code that an app may take. */
export interface MadeHandover {
  readonly id: string;
  /** What opens the app, or is pasted into it. */
  readonly link: string;
}

/**
 * Makes a code and states what is handed over. `onMade` is awaited before the code is worth anything to an app: the page
 * notes there that it must not go on by itself.
 */
export async function makeHandover(
  client: HandoverClient,
  packageId: string,
  parts: readonly HandoverPart[],
  onMade: (id: string) => Promise<void>,
): Promise<MadeHandover> {
  const params = { package_id: packageId };
  const { id, code } = await client.call('createHandover', { params });
  await onMade(id);
  for (const [index, part] of parts.entries()) {
    await client.call('putHandoverPart', { params: { ...params, handover_id: id, part: String(index) }, body: part });
  }
  return { id, link: handoverAddress(client.baseUrl, code) };
}

/** Ends a code, so that the page may go on; `taken` if an app has taken it. */
export async function endHandover(client: HandoverClient, packageId: string, id: string): Promise<'ended' | 'taken'> {
  try {
    await client.call('cancelHandover', { params: { package_id: packageId, handover_id: id } });
    return 'ended';
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.error === 'state_conflict') return 'taken';
    // The service has forgotten it, which it does long after its end.
    if (error.error === 'not_found' && error.details['resource'] === 'handover') return 'ended';
    throw error;
  }
}
