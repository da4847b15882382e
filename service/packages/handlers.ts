import { bulkArchiveHandlers } from './bulk-archive.ts';
import { changeHandlers } from './change.ts';
import { createTeamPackage } from './create.ts';
import { finalizePackage } from './finalize.ts';
import { legacyListHandlers } from './legacy-lists.ts';
import { lifeHandlers } from './life.ts';
import { listHandlers } from './list-handlers.ts';
import { getPackage } from './read.ts';

/** Packages: from creation to archive, and their lists. */
export const packageHandlers = {
  createTeamPackage,
  finalizePackage,
  getPackage,
  ...changeHandlers,
  ...lifeHandlers,
  ...bulkArchiveHandlers,
  ...listHandlers,
  ...legacyListHandlers,
};
