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
import { createTargetPlanner, folderNameFor, longerThanMost, type TargetPlanner } from '../../folders/targets.ts';
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

/**
 * Reads the package's list of files and stores the target of each. Resolves once the first of them can be fetched; the
 * rest is stored meanwhile. A plan that an earlier run has begun goes on: its files may be there. Throws what ends the
 * transfer.
 */
export async function planFiles(
  ports: JobPorts,
  record: () => DownloadRecord,
  safeRoot: SafeRoot,
  client: ClientWith,
  context: JobContext,
): Promise<StoringPlan> {
  const { registry, store } = ports;
  const { id, request, facts } = record();
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
  const collision = request.collision ?? 'keep_both';
  const planner = createTargetPlanner({
    ...found,
    collision,
    cut: request.cutsLongNames ? createNameCutter(facts.root, ports.fileSystem) : undefined,
  });
  const turn = createYielder(context.signal);
  if (!record().facts.planned) while (store.writer.write(() => store.files.removeSome(id, rowsAtOnce))) await turn();
  const known = await knownFiles(ports, id, planner.take, turn);
  const left: File[] = [];
  const total = store.files.counts(id);
  let bytes = total.totalBytes;
  for (const file of listing) {
    planner.see(file);
    if (!known.has(file.id)) {
      left.push(file);
      bytes += file.kind === 'directory' ? 0 : (file.size ?? 0);
    }
    const pause = turn();
    if (pause) await pause;
  }
  registry.changeDownload(id, {
    facts: { ...record().facts, planned: 'partly' },
    totalBytes: bytes,
    totalFiles: total.totalFiles + left.length,
  });
  const storing = storePlan(ports, record, { left, planner }, turn);
  // Files that are left out are no part of the totals, by which room on the disk is reserved.
  if (collision === 'skip') while (await storing.more());
  return storing;
}

/** The ids of files that have a target from an earlier run. */
async function knownFiles(
  { store }: JobPorts,
  id: string,
  take: (local: string) => void,
  turn: () => Promise<void> | undefined,
): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for (let afterId = 0; ; ) {
    const files = store.files.after(id, afterId, rowsAtOnce);
    if (files.length === 0) return known;
    for (const file of files) {
      afterId = file.id;
      if (file.remote.state === 'stored') known.add(file.remote.fileId);
      if (file.local !== '') take(file.local);
    }
    await turn();
  }
}

/** What exists below the root. In an empty folder that need not be asked for each file, only what its disk can hold. */
async function lookBelow({ fileSystem }: JobPorts, root: string, { entryAt }: SafeRoot): Promise<SafeRoot['entryAt']> {
  const isEmpty = await isEmptyFolder(root, fileSystem).catch((cause: unknown) => {
    throw targetFailure(root, cause);
  });
  return isEmpty ? (relative) => (Buffer.byteLength(relative) > longerThanMost ? entryAt(relative) : 'nothing') : entryAt;
}

const rowsAtOnce = 128;
const mostRowsAtOnce = 512;

/** A plan whose first files can be fetched while the others are still stored. */
export interface StoringPlan {
  /** Resolves once more files are stored. False: all are. Rejects with what ended it. */
  more(): Promise<boolean>;
  /** Resolves once it stores nothing any more, whether it came to its end or not. */
  readonly ended: Promise<void>;
}

/** Plans the target of each file that is left, and stores it. The plan is whole once that is noted. */
function storePlan(
  { registry, store }: JobPorts,
  record: () => DownloadRecord,
  { left, planner }: { readonly left: readonly File[]; readonly planner: TargetPlanner },
  turn: () => Promise<void> | undefined,
): StoringPlan {
  const { id } = record();
  let isWhole = false;
  let stored = Promise.withResolvers<void>();
  const tell = (): void => {
    stored.resolve();
    stored = Promise.withResolvers();
  };
  let rows: NewFile[] = [];
  // The first are fetched while the others are planned. The search's index is written with each insert, so later ones are larger.
  let atOnce = rowsAtOnce;
  const write = (): void => {
    const written = rows;
    rows = [];
    store.writer.write(() => store.files.insert(id, written));
    atOnce = mostRowsAtOnce;
    tell();
  };
  const work = async (): Promise<void> => {
    for (const file of left) {
      rows.push(planner.plan(file));
      if (rows.length === atOnce) write();
      const pause = turn();
      if (pause) await pause;
    }
    write();
    const { count, first } = planner.redirected;
    if (count > 0) registry.log(id, 'names_changed', `${first}${count > 1 ? ` (+ ${count - 1})` : ''}`);
    registry.recount(id);
    registry.changeDownload(id, { facts: { ...record().facts, planned: true } });
    await store.writer.committed();
    isWhole = true;
  };
  let failure: { readonly error: unknown } | null = null;
  const ended = work()
    .catch((error: unknown) => {
      failure = { error };
    })
    .finally(tell);
  return {
    ended,
    async more() {
      if (isWhole) return false;
      if (failure === null) await stored.promise;
      if (failure !== null) throw (failure as { readonly error: unknown }).error;
      return true;
    },
  };
}
