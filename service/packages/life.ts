import { inTransaction } from '../database/transaction.ts';
import type { HandlersOf } from '../handler.ts';
import { managePackage } from './access.ts';
import { applyEvent } from './end.ts';
import type { PackageEvent } from './states.ts';

/** Creates the handler of a call that applies an event to a package, by its management token (contract/packages.md §1). */
const applies =
  (event: Exclude<PackageEvent, 'finalize'>): HandlersOf<'deletePackage'>['deletePackage'] =>
  async ({ params }, context) => {
    await managePackage(context, params.package_id);
    await inTransaction(context.db, (db) => applyEvent(db, context, params.package_id, event));
  };

export const lifeHandlers: HandlersOf<'deletePackage' | 'archivePackage' | 'unarchivePackage'> = {
  deletePackage: applies('delete'),
  archivePackage: applies('archive'),
  unarchivePackage: applies('unarchive'),
};
