import type { Selectable } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import { acceptsType, type PortalRestrictions, portalRestrictions } from '#protocol/portal-restrictions.ts';
import type { Database } from '../database/schema/database.ts';
import type { NewFile } from '../files/writes.ts';

type Settings = Pick<
  Selectable<Database['portals']>,
  | 'package_size_restriction_enabled'
  | 'max_package_size'
  | 'max_file_size'
  | 'max_file_count'
  | 'file_type_restriction_enabled'
  | 'file_types'
>;

/** The columns of a Portal's row that define its restrictions. */
export const ruleColumns = [
  'package_size_restriction_enabled',
  'max_package_size',
  'max_file_size',
  'max_file_count',
  'file_type_restriction_enabled',
  'file_types',
] as const satisfies readonly (keyof Settings)[];

/** A Portal's restrictions; null if there are none. */
export function restrictionsOf(portal: Settings): PortalRestrictions | null {
  const restrictions = portalRestrictions(portal);
  const { maxPackageSize, maxFileSize, maxFileCount, fileTypes } = restrictions;
  return maxPackageSize + maxFileSize + maxFileCount > 0 || fileTypes ? restrictions : null;
}

/** The totals of a package. */
export interface Totals {
  readonly files: number;
  readonly bytes: number;
}

type Asked = Pick<NewFile, 'kind' | 'name' | 'size'>;

/** Why a Portal refuses one more file in a package; null if it accepts it. Folders are not counted. */
export function refusalOf(restrictions: PortalRestrictions, file: Asked, totals: Totals): ApiError | null {
  if (file.kind === 'directory') return null;
  const { maxPackageSize, maxFileSize, maxFileCount, fileTypes } = restrictions;
  if (!acceptsType(restrictions, file.name)) {
    return new ApiError('invalid_request', { detail: `name: this Portal takes only files of the types ${fileTypes?.join(', ')}.` });
  }
  // A file without a known size is checked when the package is finalized, and gets blueprints for no more than it may have.
  const size = file.size ?? 0;
  if (maxFileSize > 0 && size > maxFileSize) {
    return tooLargeFile(maxFileSize);
  }
  if (maxFileCount > 0 && totals.files + 1 > maxFileCount) {
    return new ApiError('over_limit', { detail: `This Portal takes at most ${maxFileCount} files in a package.` });
  }
  if (maxPackageSize > 0 && totals.bytes + size > maxPackageSize) {
    return new ApiError('over_limit', {
      detail: `size: this Portal takes at most ${maxPackageSize} bytes in a package, and ${Math.max(0, maxPackageSize - totals.bytes)} of them are left.`,
    });
  }
  return null;
}

/** The largest file that a Portal can take, in bytes; null: no limit. */
export function largestFile(restrictions: PortalRestrictions | null): number | null {
  const sizes = [restrictions?.maxFileSize ?? 0, restrictions?.maxPackageSize ?? 0].filter((size) => size > 0);
  return sizes.length > 0 ? Math.min(...sizes) : null;
}

export const tooLargeFile = (most: number): ApiError =>
  new ApiError('over_limit', { detail: `size: this Portal takes files of at most ${most} bytes.` });

/** Whether the package's totals matter for accepting a file. */
export const limitsTotals = (restrictions: PortalRestrictions | null): boolean =>
  restrictions !== null && restrictions.maxPackageSize + restrictions.maxFileCount > 0;

export const noTotals: Totals = { files: 0, bytes: 0 };
export const addTotals = (a: Totals, b: Totals): Totals => ({ files: a.files + b.files, bytes: a.bytes + b.bytes });
export const subtractTotals = (a: Totals, b: Totals): Totals => ({ files: a.files - b.files, bytes: a.bytes - b.bytes });

/** A file's contribution to the totals. An unknown size is added when it becomes known (finalize.ts). */
export const contributionOf = ({ kind, size }: Asked): Totals => (kind === 'directory' ? noTotals : { files: 1, bytes: size ?? 0 });
