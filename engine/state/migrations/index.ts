import * as transfers from './0001-transfers.ts';
import * as pauses from './0002-pauses.ts';
import * as rateLimits from './0004-rate-limits.ts';
import * as removalsAndTimes from './0005-removals-and-times.ts';
import * as tokens from './0006-tokens.ts';
import * as transferLog from './0007-transfer-log.ts';
import * as lists from './0008-lists.ts';
import * as downloadSources from './0009-download-sources.ts';
import * as automations from './0010-automations.ts';
import * as mounts from './0011-mounts.ts';
import * as deadlines from './0012-deadlines.ts';
import * as growingFiles from './0013-growing-files.ts';
import * as uploadRoots from './0014-upload-roots.ts';
import * as search from './0015-search.ts';
import * as namesByBatch from './0016-names-by-batch.ts';
import * as shownBytes from './0017-shown-bytes.ts';

export interface Migration {
  readonly version: number;
  readonly sql: string;
}

/** All changes of the schema, ascending. A released one must never be edited, or old state files would differ from new ones. */
export const migrations: readonly Migration[] = [
  transfers,
  pauses,
  rateLimits,
  removalsAndTimes,
  tokens,
  transferLog,
  lists,
  downloadSources,
  automations,
  mounts,
  deadlines,
  growingFiles,
  uploadRoots,
  search,
  namesByBatch,
  shownBytes,
];
