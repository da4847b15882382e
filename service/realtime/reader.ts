import { ApiError } from '#protocol/errors.ts';
import type { Context } from '../handler.ts';
import { type AnyPackageToken, seePackage } from '../packages/access.ts';

/**
 * Whether the holder of a package token may go on reading the package's events: a stream outlives the check of its credential. A
 * gateway's token ends with its task. Errors: those of `seePackage`, `credential_invalid`.
 */
export async function requireReader(context: Context<AnyPackageToken>, packageId: string): Promise<void> {
  const { task } = context.credential;
  if (task && !(await context.credentials.task(task))) throw new ApiError('credential_invalid', { header: 'X-Package-Token' });
  await seePackage(context, packageId);
}
