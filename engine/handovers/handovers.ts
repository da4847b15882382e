import { randomUUID } from 'node:crypto';
import type { HandoverMatch } from '#protocol/agent/handovers.ts';
import type { TransferState } from '#protocol/agent/transfer-states.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import type { HandoverFile } from '#protocol/hosted/handovers.ts';
import type { Asking } from '../asking.ts';
import type { Engine } from '../engine.ts';
import { checkRoots, pathIn } from '../folders/scan.ts';
import type { Clock } from '../ports.ts';
import type { AgentSettings } from '../settings.ts';
import type { Lists } from '../state/lists.ts';
import { checkedDueAt } from '../transfer/deadlines/due-at.ts';
import type { JobPorts } from '../transfer/job.ts';
import type { ChunkRecord } from '../transfer/record.ts';
import type { TransferActions } from '../transfer/transfers.ts';
import { type MatchedFile, matchFiles } from './match-files.ts';
import { parseHandoverLink, readHandover } from './read-handover.ts';
import { adoptedDownload, adoptedUpload, digestOfCode, rowsOf } from './records.ts';

/** What `Engine.handovers` needs. */
interface HandoversPorts {
  readonly jobs: JobPorts;
  readonly adopt: TransferActions['adopt'];
  readonly lists: Pick<Lists, 'all'>;
  readonly settings: Pick<AgentSettings, 'current'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Names at the top of a package that are told, and files that are told as missing or changed. */
const maxNames = 20;
const maxOthers = 200;

/** One that failed goes on when a person tries again. */
const unfinished: TransferState[] = ['queued', 'transferring', 'paused', 'idle', 'error'];

/** Goes on with what browsers have begun: contract/agent.md §15. */
export function createHandovers({ jobs, adopt, lists, settings, clock }: HandoversPorts): Engine['handovers'] {
  const { fileSystem } = jobs;
  const matched = (
    files: readonly HandoverFile[],
    paths: readonly string[],
    asking: (Asking & { readonly signal?: AbortSignal }) | undefined,
  ) => {
    checkRoots(paths, fileSystem);
    const guard = asking?.restricted ? jobs.pathGuard : null;
    return matchFiles(files, paths, { fileSystem, guard, ...(asking?.signal ? { signal: asking.signal } : {}) });
  };
  return {
    async preview(link, signal) {
      const parsed = parseHandoverLink(link);
      const handover = await readHandover(jobs, parsed, signal);
      const { kind, package_name, sender, portal, files, fileIds } = handover;
      const own = files.filter((file) => file.kind === 'file');
      return {
        kind,
        service_url: parsed.service,
        package_name,
        sender,
        portal_name: portal?.name ?? '',
        files: kind === 'upload' ? own.length : fileIds.length,
        bytes: own.reduce((sum, { size }) => sum + size, 0),
        files_sent: own.filter(({ sent }) => sent).length,
        names: topNames(files),
      };
    },
    async find(link) {
      const digest = digestOfCode(parseHandoverLink(link).code);
      const { registry } = jobs;
      const id = lists.all({ state: unfinished }).find((one) => registry.find(one)?.request.handoverDigest === digest);
      return id === undefined ? null : registry.view(id);
    },
    async match({ link, paths }, asking) {
      const { files } = await readHandover(jobs, parseHandoverLink(link), asking.signal);
      return summaryOf(await matched(files, paths, asking));
    },
    async continue(request, asking) {
      const link = parseHandoverLink(request.link);
      const dueAt = request.due_at === undefined ? undefined : checkedDueAt(request.due_at, clock.now());
      const handover = await readHandover(jobs, link);
      const handed = { link, handover, claim: randomUUID(), asking };
      const options = { priority: request.priority, dueAt };
      if (handover.kind === 'download') {
        if (request.dst_folder === undefined) {
          throw new ApiError('invalid_request', { detail: 'The field dst_folder is missing: this is a download.' });
        }
        const into = {
          dstFolder: request.dst_folder,
          createPackageFolder: request.create_package_folder ?? false,
          collision: settings.current().name_collision,
        };
        return adopt({ options, make: (common) => adoptedDownload(jobs, common, handed, into), files: [], chunks: new Map() });
      }
      const paths = request.paths ?? [];
      const all = await matched(handover.files, paths, asking);
      const { found, changed, missing } = summaryOf(all);
      if (found === 0 && changed + missing > 0)
        throw new AgentError('nothing_to_send', { path: paths.join(', ') || '(no folder was given)' });
      return adopt({ options, make: (common) => adoptedUpload(common, handed, paths), files: rowsOf(all), chunks: chunksOf(all) });
    },
  };
}

/** The first folders and files that one sees in the package. */
function topNames(files: readonly HandoverFile[]): string[] {
  const names = new Set<string>();
  for (const { path, name } of files) {
    names.add(path === '' ? name : path.split('/', 1)[0]!);
    if (names.size === maxNames) break;
  }
  return [...names];
}

function summaryOf(matched: readonly MatchedFile[]): HandoverMatch {
  const own = matched.filter(({ file }) => file.kind === 'file');
  const count = (state: MatchedFile['state']): number => own.filter((one) => one.state === state).length;
  const others: HandoverMatch['others'] = [];
  for (const { file, state } of own) {
    if ((state === 'changed' || state === 'missing') && others.length < maxOthers)
      others.push({ path: pathIn(file.path, file.name), state });
  }
  return { found: count('found'), changed: count('changed'), missing: count('missing'), sent: count('not_needed'), others };
}

/** The page's word on chunks counts only where the storage's list cannot tell what they hold. */
function chunksOf(matched: readonly MatchedFile[]): Map<string, Map<number, ChunkRecord>> {
  const chunks = new Map<string, Map<number, ChunkRecord>>();
  for (const { file, state } of matched) {
    // One that is missing may come back as it was.
    if ((state !== 'found' && state !== 'missing') || file.chunk_checksum !== 'none' || !file.chunks) continue;
    chunks.set(pathIn(file.path, file.name), new Map(file.chunks.map(({ index, etag, blake3 }) => [index, { etag, blake3 }])));
  }
  return chunks;
}
