import { relative, sep } from 'node:path';
import type { DryRun } from '#protocol/agent/automations/dry-run.ts';
import type { DownloadAutomation } from '../record.ts';
import { soonestFirst } from './arrivals.ts';
import { type BeginPorts, listingOf, pathOf, wantedPart } from './begin-download.ts';
import type { DownloadWorkPorts } from './download-work.ts';
import { findAll, noFinds } from './find-arrivals.ts';
import { portalNames } from './portal-names.ts';
import { teamService } from './team-service.ts';

const mostPackages = 200;
/** Packages whose files are asked for, so that a dry run of thousands stays quick. */
const mostListed = 20;
const mostPaths = 100;
const mostSkipped = 500;

/** What an automation would download now, in which order and to where. It changes nothing, here or at the service. */
export async function dryRunDownload(ports: DownloadWorkPorts, record: DownloadAutomation, signal: AbortSignal): Promise<DryRun> {
  const beginPorts: BeginPorts = { ...ports, portalName: portalNames() };
  const service = await teamService(ports, record, signal);
  const finds = noFinds();
  const isAll = await findAll({ ...ports, ledger: ports.store.automations.ledger }, service, record, finds, signal);
  const arrivals = [...finds.pending.values()].toSorted(soonestFirst);
  const packages: DryRun['packages'] = [];
  const skipped: DryRun['skipped'] = [];
  let isShort = !isAll || arrivals.length > mostListed;
  for (const [index, arrival] of arrivals.slice(0, mostPackages).entries()) {
    const sum = { name: arrival.name, files: arrival.files, total_bytes: arrival.size, paths: [] as string[] };
    if (index >= mostListed) {
      packages.push(sum);
      continue;
    }
    const part = await wantedPart(beginPorts, service, record, arrival, signal);
    const files = part.files ?? (await listingOf(ports.jobs, service, arrival, signal)).filter(({ kind }) => kind !== 'directory');
    skipped.push(...part.leftOut.map((path) => ({ path: `${arrival.name}/${path}`, reason: 'The patterns leave it out.' })));
    if (files.length === 0) continue;
    const folder = relative(record.fields.dst_folder, part.folder).split(sep).filter(Boolean);
    const inside = [...folder, ...(record.fields.create_package_folder ? [arrival.name] : [])];
    if (files.length > mostPaths) isShort = true;
    packages.push({
      ...sum,
      files: files.length,
      total_bytes: files.reduce((bytes, { size = 0 }) => bytes + size, 0),
      paths: files.slice(0, mostPaths).map((file) => [...inside, pathOf(file)].join('/')),
    });
  }
  return { packages, skipped: skipped.slice(0, mostSkipped), truncated: isShort || skipped.length > mostSkipped };
}
