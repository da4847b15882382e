import { join } from 'node:path';
import type { Fetcher } from '#client/ports.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { Store } from '../../state/store.ts';
import type { ChosenDownload } from '../../transfer/chosen-download.ts';
import { fetchListing } from '../../transfer/download/listing.ts';
import { type JobPorts, packageClient } from '../../transfer/job.ts';
import { dueAtOf } from '../due-at.ts';
import type { DownloadAutomation } from '../record.ts';
import { compilePatterns } from '../rules/patterns.ts';
import type { Arrival } from './arrivals.ts';
import { dropLinkKey, type LinkKeyPorts, linkKeyFor } from './link-keys.ts';
import type { PortalNames } from './portal-names.ts';
import { subfolderNames } from './target-folder.ts';
import type { TeamService } from './team-service.ts';

export interface BeginPorts extends LinkKeyPorts {
  readonly store: Store;
  readonly jobs: Pick<JobPorts, 'transport'>;
  readonly downloadChosen: (chosen: ChosenDownload, alsoWrite: (transferId: string) => void) => Promise<string>;
  readonly portalName: PortalNames;
  readonly now: () => number;
}

/** What of a package is wanted, and where it goes. */
export interface WantedPart {
  /** The folder that the package's folder or files come into. */
  readonly folder: string;
  /** `null`: every file. */
  readonly files: readonly File[] | null;
  /** Paths in the package that the patterns leave out. */
  readonly leftOut: readonly string[];
}

/** Asks the service only for what patterns and subfolders need. */
export async function wantedPart(
  { jobs, portalName }: Pick<BeginPorts, 'jobs' | 'portalName'>,
  service: TeamService,
  { fields }: DownloadAutomation,
  arrival: Arrival,
  signal: AbortSignal,
): Promise<WantedPart> {
  const { subfolders = [], include = [], exclude = [] } = fields;
  const portal = subfolders.includes('portal') ? await portalName(service, arrival.portalId, signal) : '';
  const folder = join(fields.dst_folder, ...subfolderNames(subfolders, { ...arrival, portal }));
  if (include.length === 0 && exclude.length === 0) return { folder, files: null, leftOut: [] };
  const verdictOf = compilePatterns({ include, exclude });
  const listing = (await listingOf(jobs, service, arrival, signal)).filter(({ kind }) => kind !== 'directory');
  const files = listing.filter((file) => verdictOf(pathOf(file)).sent);
  if (files.length === listing.length) return { folder, files: null, leftOut: [] };
  const taken = new Set(files);
  return { folder, files, leftOut: listing.filter((file) => !taken.has(file)).map(pathOf) };
}

/** Its files, as its service lists them. */
export function listingOf(
  { transport }: BeginPorts['jobs'],
  { serviceUrl }: TeamService,
  { id, token }: Arrival,
  signal: AbortSignal,
): Promise<File[]> {
  const clientWith = (fetcher: Fetcher) => packageClient({ transport: { ...transport, fetcher } }, serviceUrl, token);
  return fetchListing(transport, clientWith, id, signal);
}

export const pathOf = ({ path, name }: Pick<File, 'path' | 'name'>): string => (path === '' ? name : `${path}/${name}`);

/**
 * Makes the transfer of a package. The transfer and its row in the ledger are one commit: a crash leaves both or none, so
 * that nothing is downloaded twice. A link that was made before a crash is taken up again. Errors are those of the
 * service, with nothing done here.
 */
export async function beginDownload(
  ports: BeginPorts,
  service: TeamService,
  record: DownloadAutomation,
  arrival: Arrival,
  signal: AbortSignal,
): Promise<void> {
  const { store, now } = ports;
  const { ledger, results } = store.automations;
  const { folder, files } = await wantedPart(ports, service, record, arrival, signal);
  const row = { key: arrival.id, path: arrival.name, size: arrival.size, modifiedAt: arrival.createdAt, packageId: arrival.id };
  if (files?.length === 0) {
    store.writer.write(() => {
      ledger.put(record.id, [{ ...row, state: 'existing', message: noFiles, at: now() }]);
      results.add(record.id, { at: now(), kind: 'skipped', name: arrival.name, transferId: '', message: noFiles });
    });
    await store.writer.committed();
    return;
  }
  // An account may make links of what it manages, and only a link downloads (contract/conventions.md §9.3).
  const link = await service.withToken(arrival.token).call('createLink', {
    params: { package_id: arrival.id },
    body: { password: '', access_limit: 0 },
    idempotencyKey: await linkKeyFor(ports, record.id, arrival.id),
    signal,
  });
  await ports.downloadChosen(
    {
      automationId: record.id,
      restricted: record.restricted,
      name: arrival.name,
      priority: record.fields.priority,
      dueAt: dueAtOf(record.fields, now()),
      serviceUrl: service.serviceUrl,
      packageId: arrival.id,
      link: { id: link.id, secret: link.download_secret },
      totalBytes: files === null ? arrival.size : files.reduce((sum, { size = 0 }) => sum + size, 0),
      dstFolder: folder,
      fileIds: files === null ? null : files.map(({ id }) => id),
      createPackageFolder: record.fields.create_package_folder,
    },
    (transferId) => {
      ledger.put(record.id, [{ ...row, transferId, state: 'receiving', at: now() }]);
      dropLinkKey(ports, record.id, arrival.id);
    },
  );
}

const noFiles = 'None of its files is wanted by the patterns.';
