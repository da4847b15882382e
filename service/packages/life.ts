import { inTransaction } from '../database/transaction.ts';
import type { HandlersOf } from '../handler.ts';
import { managePackage } from './access.ts';
import { happen } from './end.ts';
import type { PackageEvent } from './states.ts';

/** A call that lets something happen to a package, by its management token (interface §3 "Package", §4.4). */
const that =
  (event: Exclude<PackageEvent, 'finalize'>): HandlersOf<'deletePackage'>['deletePackage'] =>
  async ({ params }, context) => {
    await managePackage(context, params.package_id);
    await inTransaction(context.db, (db) => happen(db, context, params.package_id, event));
  };

export const lifeHandlers: HandlersOf<'deletePackage' | 'archivePackage' | 'unarchivePackage'> = {
  deletePackage: that('delete'),
  archivePackage: that('archive'),
  unarchivePackage: that('unarchive'),
};
