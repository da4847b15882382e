import { v5 } from 'uuid';
import type { File } from '#protocol/hosted/files.ts';
import { partFault } from '#protocol/names.ts';
import type { Context } from '../handler.ts';
import { formatDateTime } from '../wire-times.ts';
import type { ZipFlavour } from './names.ts';

const flavours = ['zip_windows', 'zip_mac'] as const satisfies readonly ZipFlavour[];

/** A zip's id. It is derived, not stored, so it is the same in every listing. */
const zipId = (packageId: string, flavour: ZipFlavour): string => v5(flavour, packageId);

/** The zip of the package with this id; null if there is none. */
export function zipOf(packageId: string, fileId: string): ZipFlavour | null {
  return flavours.find((flavour) => zipId(packageId, flavour) === fileId) ?? null;
}

interface ZippedPackage {
  readonly id: string;
  readonly name: string;
  readonly contains_virus: boolean;
  readonly updated_at: Date;
}

/** The two virtual records at the end of a finalized package's listing (contract/zips.md §1). */
export function zipRecords(row: ZippedPackage): File[] {
  return flavours.map((kind) => ({
    id: zipId(row.id, kind),
    kind,
    name: zipName(row.name),
    path: '',
    last_modified: formatDateTime(row.updated_at),
    virus_detected: row.contains_virus,
  }));
}

/** Characters that some system forbids in file names, and bidirectional control characters. */
const unfit = /[\p{Cc}\p{Cs}\p{Bidi_Control}<>:"/\\|?*]/gu;
const maxNameLength = 120;

/** `Dailies: day 3` → `Dailies_ day 3.zip`, which is valid on every system. */
export function zipName(packageName: string): string {
  const name = [...packageName.replace(unfit, '_')]
    .slice(0, maxNameLength)
    .join('')
    .replace(/^[. ]+|[. ]+$/g, '');
  const whole = `${name === '' ? 'package' : name}.zip`;
  return partFault(whole) === null ? whole : `_${whole}`;
}

interface ZipTarget {
  readonly packageId: string;
  readonly packageName: string;
  readonly flavour: ZipFlavour;
  readonly linkId: string;
  /** Of a choice: which records (selection.ts). */
  readonly chosen?: string;
  /** Of the zip, where it is not the package's. */
  readonly name?: string;
}

/** A download URL for the zip, valid until `expiresAt` as long as its link is. */
export async function presignZip(
  { tokens, urls }: Pick<Context, 'tokens' | 'urls'>,
  { packageName, ...claims }: ZipTarget,
  expiresAt: Date,
): Promise<{ readonly method: 'GET'; readonly url: string }> {
  return { method: 'GET', url: urls.zip(zipName(packageName), await tokens.sign('zip', claims, expiresAt)) };
}
