import { ApiError } from '#protocol/errors.ts';
import type { Store } from '../../state/store.ts';
import type { DownloadAutomation } from '../record.ts';
import { afterwardsOf } from './settle-downloads.ts';
import { findPackage, type TeamService } from './team-service.ts';

interface FinishPorts {
  readonly store: Store;
  readonly now: () => number;
}

const rowsPerPage = 500;

/** Keys of the rows whose package is here, and with which something is left to do at the service. */
export async function unfinishedKeys(
  { store }: Pick<FinishPorts, 'store'>,
  automationId: string,
  signal: AbortSignal,
): Promise<Set<string>> {
  const unfinished = new Set<string>();
  for (let afterId = 0; ; ) {
    const rows = store.automations.ledger.inState(automationId, 'received', afterId, rowsPerPage);
    if (rows.length === 0) return unfinished;
    for (const row of rows) if (afterwardsOf(row)) unfinished.add(row.key);
    afterId = rows.at(-1)!.id;
    await new Promise((resume) => setImmediate(resume));
    signal.throwIfAborted();
  }
}

/**
 * Ends the link that a download was made with, and deletes or archives its package where that was chosen. Each step may
 * be done again, so that a crash or a lost answer repeats it. Errors are those of the service.
 */
export async function finishAtService(
  { store, now }: FinishPorts,
  service: TeamService,
  record: DownloadAutomation,
  key: string,
  signal: AbortSignal,
): Promise<void> {
  const row = store.automations.ledger.byKey(record.id, key);
  const after = row && afterwardsOf(row);
  if (!after) return;
  const listed = await findPackage(service, record, { packageId: row.packageId, createdAt: row.modifiedAt }, signal);
  let deleted = listed === null;
  if (listed) {
    const manage = service.withToken(listed.access_token);
    const params = { package_id: listed.id };
    // It was chosen anew meanwhile that packages are kept.
    const what = record.fields.afterwards === 'keep' ? 'keep' : after.what;
    if (what !== 'keep') await manage.call('deletePackage', { params, signal });
    if (what === 'archive') await manage.call('archivePackage', { params, signal });
    if (what === 'keep' && after.linkId !== '')
      await endLink(() => manage.call('deleteLink', { params: { ...params, link_id: after.linkId }, signal }));
    deleted = what !== 'keep';
  }
  store.writer.write(() => {
    store.automations.ledger.change(row.id, { target: '', ...(deleted && after.what !== 'keep' ? { state: 'deleted', at: now() } : {}) });
  });
}

/** A link that is gone needs no end. */
async function endLink(call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.error !== 'not_found') throw cause;
  }
}
