import { ServiceError } from '#client/errors.ts';
import type { PageClient } from '#web/common/page-client.ts';

/** Closes the package. Idempotent: a package that is already closed (its answer was lost) is accepted. */
export async function closePackage(api: PageClient, packageId: string, signal: AbortSignal): Promise<void> {
  const params = { package_id: packageId };
  try {
    await api.call('finalizePackage', { params, signal });
  } catch (cause) {
    if (!(cause instanceof ServiceError) || cause.error !== 'state_conflict') throw cause;
    const standing = await api.call('getPackage', { params, signal });
    if (standing.state !== 'finalized') throw cause;
  }
}
