import type { JobPorts } from '../../transfer/job.ts';
import type { DownloadAutomation } from '../record.ts';
import type { Ledger } from '../store/ledger.ts';
import { type Arrival, arrivalOf, finalizedSince } from './arrivals.ts';
import { signedAt } from './signed-at.ts';
import { type ListRange, packagePages, type TeamService } from './team-service.ts';

export interface FindPorts {
  readonly ledger: Pick<Ledger, 'byKey'>;
  readonly jobs: Pick<JobPorts, 'transport'>;
  readonly now: () => number;
}

/** What is known between two looks. */
export interface Finds {
  /** Packages that are to be downloaded and are not yet, by id. */
  readonly pending: Map<string, Arrival>;
  /** Packages that were finalized before the automation cares, as their receipts say. */
  readonly older: Set<string>;
  /** When the newest was finalized that was listed, by its service's clock; `null` while no record tells. */
  newest: number | null;
}

export const noFinds = (): Finds => ({ pending: new Map(), older: new Set(), newest: null });

/** Packages that wait here at most; the others wait at the service. */
const mostPending = 1_000;
/** Of packages whose receipt was read; then they are read once more. */
const mostOlder = 10_000;

/** Since when packages are wanted: milliseconds since 1970. */
export const wantedSince = ({ fields, facts, createdAt }: DownloadAutomation): number =>
  fields.since === undefined ? (facts.since ?? createdAt) : Date.parse(fields.since);

/** A package may be listed a while after one that was finalized later: its transaction took longer. Milliseconds. */
const overlapMs = 300_000;

/** What was finalized since the last look, and a while before it. False: there is more than is held at once. */
export async function findNew(
  ports: FindPorts,
  service: TeamService,
  record: DownloadAutomation,
  finds: Finds,
  signal: AbortSignal,
): Promise<boolean> {
  if (finds.newest === null) {
    await findNewest(ports, service, record, finds, signal);
    return true;
  }
  const from = Math.max(wantedSince(record), finds.newest - overlapMs);
  const range = { sort: '-created_at', finalized_at_start: new Date(from).toISOString() } as const;
  for await (const records of packagePages(service, record, range, signal)) {
    for (const listed of records) {
      const arrival = arrivalOf(listed, ports.now());
      if (arrival) await take(ports, service, record, finds, arrival, signal);
    }
    if (finds.pending.size >= mostPending) return false;
  }
  return true;
}

/**
 * At an older service: the newest packages, until a page has nothing new. A package that took long is found by `findAll`,
 * since the list is in the order in which they were begun.
 */
async function findNewest(
  ports: FindPorts,
  service: TeamService,
  record: DownloadAutomation,
  finds: Finds,
  signal: AbortSignal,
): Promise<void> {
  for await (const records of packagePages(service, record, { sort: '-created_at' }, signal)) {
    let foundSome = false;
    for (const listed of records) {
      const arrival = arrivalOf(listed, ports.now());
      if (arrival && (await take(ports, service, record, finds, arrival, signal))) foundSome = true;
    }
    if (!foundSome || finds.pending.size >= mostPending) return;
  }
}

/**
 * Every package that is there and not downloaded, those that end soon first; `pending` holds these alone afterwards.
 * False: there are more than are held at once, so it is to be asked again when these are done.
 */
export async function findAll(
  ports: FindPorts,
  service: TeamService,
  record: DownloadAutomation,
  finds: Finds,
  signal: AbortSignal,
): Promise<boolean> {
  const found: Finds = { ...noFinds(), older: finds.older, newest: finds.newest };
  for (const range of rangesOf(record, ports.now())) {
    for await (const records of packagePages(service, record, range, signal)) {
      for (const listed of records) {
        const arrival = arrivalOf(listed, ports.now());
        if (arrival) await take(ports, service, record, found, arrival, signal, finds.pending);
      }
      if (found.pending.size >= mostPending) break;
    }
  }
  finds.newest = found.newest;
  finds.pending.clear();
  for (const [id, arrival] of found.pending) finds.pending.set(id, arrival);
  return found.pending.size < mostPending;
}

/** The list of a Portal has no filter of states: what is over is left out by its time, and what has none is asked for apart. */
function rangesOf(record: DownloadAutomation, now: number): readonly ListRange[] {
  const wanted = { finalized_at_start: new Date(wantedSince(record)).toISOString() };
  if (record.kind === 'all_portals_download') return [{ sort: 'expiry', ...wanted }];
  const from = { sort: 'expiry', expiry_start: new Date(now).toISOString(), ...wanted } as const;
  return [from, { sort: '-created_at', extra_storage: true, ...wanted }];
}

/** Whether it is one that nobody knew of. */
async function take(
  { ledger, jobs }: FindPorts,
  service: TeamService,
  record: DownloadAutomation,
  finds: Finds,
  arrival: Arrival,
  signal: AbortSignal,
  /** What was found before, and needs no second look at its receipt. */
  before: ReadonlyMap<string, Arrival> = finds.pending,
): Promise<boolean> {
  const { pending, older } = finds;
  const { id, finalizedAt } = arrival;
  if (finalizedAt !== null) finds.newest = Math.max(finds.newest ?? finalizedAt, finalizedAt);
  if (older.has(id) || ledger.byKey(record.id, id)) return false;
  const since = wantedSince(record);
  const verdict = finalizedSince(arrival, since);
  if (verdict === 'no') return false;
  if (verdict === 'unknown' && !before.has(id)) {
    const at = await signedAt(jobs, service, arrival, signal);
    if (at !== null && at < since) {
      if (older.size >= mostOlder) older.clear();
      older.add(id);
      return false;
    }
  }
  const isNew = !pending.has(id);
  pending.set(id, arrival);
  return isNew;
}
