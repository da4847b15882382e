import { ApiError } from '#protocol/errors.ts';
import type { JobHandler } from '../jobs/context.ts';
import { finalizePackageAs } from './finalize.ts';

/**
 * Everything has come into a package that is to be finalized then (contract/transfers.md §7). What is refused stays as it
 * is: while another transfer still brings files in, that one's end asks again; who may not manage the package any more
 * sends nothing, and what cannot be finalized waits for somebody who looks at it.
 */
export const finalizeAfterImports: JobHandler<'packages.finalize'> = async ({ package_id: packageId, user_id: userId }, context) => {
  try {
    await finalizePackageAs(context, packageId, userId);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    context.log.info({ package_id: packageId, err: error }, 'a package is not finalized after its import');
  }
};
