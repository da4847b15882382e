import { join } from 'node:path';
import { AgentError } from '#protocol/errors.ts';
import type { File } from '#protocol/hosted/files.ts';
import { engineActivity } from '../../activity-channel.ts';
import { firstMissing, isEmptyFolder } from '../../folders/empty-folders.ts';
import { ownHomes, refuseHiddenNames } from '../../folders/hidden-names.ts';
import { createNameCutter } from '../../folders/long-names.ts';
import { withNumber } from '../../folders/names.ts';
import { pathGuardFor } from '../../folders/path-guard.ts';
import { openFolder, probeNames, type SafeRoot } from '../../folders/safe-root.ts';
import { exists } from '../../folders/scan.ts';
import { createTargetPlanner, folderNameFor, longerThanMost, type PlanOptions, type TargetPlanner } from '../../folders/targets.ts';
import { targetFailure } from '../../io/disk-failures.ts';
import type { ClientWith } from '../../receipt/fetch-receipt.ts';
import type { JobContext, JobPorts } from '../job.ts';
import type { DownloadRecord, NewFile } from '../record.ts';
import { retryWithActivity } from '../retry-with-activity.ts';
import { fetchListing, wantedOf } from './listing.ts';
import { createYielder } from './yielder.ts';

/**
 * The chosen folder itself, or a new one in it that is named after the package. The choice is noted before the folder
 * is created, so that a restart does not create a second one.
 */
export function chooseRoot(ports: JobPorts, record: DownloadRecord): void {
  const { registry, store } = ports;
  const { id, request, facts, name } = record;
  const chosen = openFolder(facts.folder ?? request.dstFolder, pathGuardFor(ports, record), ports.fileSystem);
  const folderName = folderNameFor(name);
  const own = request.cutsLongNames ? createNameCutter(chosen, ports.fileSystem).fitNumbered(folderName) : folderName;
  const root = request.createPackageFolder
    ? join(
        chosen,
        withNumber(own, (candidate) => !exists(join(chosen, candidate), ports.fileSystem)),
      )
    : chosen;
  const made = facts.made ?? firstMissing(root, ports.fileSystem);
  registry.changeDownload(id, { facts: { ...facts, root, ...(made === null ? {} : { made }) } });
  store.writer.flush();
  openFolder(root, pathGuardFor(ports, record), ports.fileSystem);
}

/** Reads the package's list of files, and stores the target of each. Throws what ends the transfer. */
export async function planFiles(
  ports: JobPorts,
  record: DownloadRecord,
  safeRoot: SafeRoot,
  client: ClientWith,
  context: JobContext,
): Promise<void> {
  const { registry, store } = ports;
  const { id, request, facts } = record;
  const all = await retryWithActivity(context, () => fetchListing(ports.transport, client, facts.packageId, context.signal));
  const listing = wantedOf(all, request.fileIds);
  // The package may hold other names now than at the time of the request.
  if (!request.allowHidden && !request.createPackageFolder) refuseHiddenNames(facts.root, listing, ownHomes(ports.fileSystem));
  if (request.fileIds && listing.length < new Set(request.fileIds).size) throw new AgentError('not_found', { resource: 'file' });
  engineActivity.publish(`plan the files of download ${id}`);
  const found = await retryWithActivity(context, async () => {
    safeRoot.folder('');
    return { ...probeNames(facts.root, id, ports.fileSystem), entryAt: await lookBelow(ports, facts.root, safeRoot) };
  });
  const redirected = await insertPlanned(
    ports,
    id,
    listing,
    {
      ...found,
      collision: request.collision ?? 'keep_both',
      cut: request.cutsLongNames ? createNameCutter(facts.root, ports.fileSystem) : undefined,
    },
    context.signal,
  );
  if (redirected.count > 0) {
    const others = redirected.count > 1 ? ` (+ ${redirected.count - 1})` : '';
    registry.log(id, 'names_changed', `${redirected.first}${others}`);
  }
  registry.recount(id);
  registry.changeDownload(id, { facts: { ...facts, planned: true } });
  await store.writer.committed();
}

/** What exists below the root. In an empty folder that need not be asked for each file, only what its disk can hold. */
async function lookBelow({ fileSystem }: JobPorts, root: string, { entryAt }: SafeRoot): Promise<SafeRoot['entryAt']> {
  const isEmpty = await isEmptyFolder(root, fileSystem).catch((cause: unknown) => {
    throw targetFailure(root, cause);
  });
  return isEmpty ? (relative) => (Buffer.byteLength(relative) > longerThanMost ? entryAt(relative) : 'nothing') : entryAt;
}

const rowsAtOnce = 128;

/**
 * Plans the target of every file and stores the plan, replacing the state of an earlier run; the plan is valid once
 * `planned` is noted. Returns the files that are renamed because their own names change the text direction.
 */
async function insertPlanned(
  { store }: JobPorts,
  id: string,
  listing: readonly File[],
  options: PlanOptions,
  signal: AbortSignal,
): Promise<TargetPlanner['redirected']> {
  const turn = createYielder(signal);
  while (store.writer.write(() => store.files.removeSome(id, rowsAtOnce))) await turn();
  const planner = createTargetPlanner(options);
  for (const record of listing) {
    planner.see(record);
    const pause = turn();
    if (pause) await pause;
  }
  let rows: NewFile[] = [];
  const write = (): void => {
    const written = rows;
    rows = [];
    store.writer.write(() => store.files.insert(id, written));
  };
  for (const record of listing) {
    rows.push(planner.plan(record));
    if (rows.length === rowsAtOnce) write();
    const pause = turn();
    if (pause) await pause;
  }
  write();
  return planner.redirected;
}
