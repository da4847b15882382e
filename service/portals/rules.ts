import type { Selectable } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Database } from '../database/schema/database.ts';
import type { NewFile } from '../files/writes.ts';

/** What a Portal takes. Sizes are bytes; 0: no limit. */
export interface Restrictions {
  readonly maxPackageSize: number;
  readonly maxFileSize: number;
  readonly maxFileCount: number;
  /** Extensions in lower case, with their dots; null: all. */
  readonly fileTypes: readonly string[] | null;
}

type Settings = Pick<
  Selectable<Database['portals']>,
  | 'package_size_restriction_enabled'
  | 'max_package_size'
  | 'max_file_size'
  | 'max_file_count'
  | 'file_type_restriction_enabled'
  | 'file_types'
>;

/** What of a Portal's row says what it takes. */
export const ruleColumns = [
  'package_size_restriction_enabled',
  'max_package_size',
  'max_file_size',
  'max_file_count',
  'file_type_restriction_enabled',
  'file_types',
] as const satisfies readonly (keyof Settings)[];

/** A Portal's restrictions; null where it takes everything. */
export function restrictionsOf(portal: Settings): Restrictions | null {
  const { package_size_restriction_enabled: sizes, file_type_restriction_enabled: types } = portal;
  const restrictions = {
    maxPackageSize: sizes ? Number(portal.max_package_size) : 0,
    maxFileSize: sizes ? Number(portal.max_file_size) : 0,
    maxFileCount: sizes ? Number(portal.max_file_count) : 0,
    fileTypes: types ? portal.file_types.map((type) => type.toLowerCase()) : null,
  };
  const { maxPackageSize, maxFileSize, maxFileCount, fileTypes } = restrictions;
  return maxPackageSize + maxFileSize + maxFileCount > 0 || fileTypes ? restrictions : null;
}

/** The extension of a name with its dot, in lower case; empty for none. A name that only begins with a dot has none. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot).toLowerCase() : '';
}

export const takes = ({ fileTypes }: Restrictions, name: string): boolean => fileTypes === null || fileTypes.includes(extensionOf(name));

/** How much a package has. */
export interface Held {
  readonly files: number;
  readonly bytes: number;
}

export type Asked = Pick<NewFile, 'kind' | 'name' | 'size'>;

/** Why a Portal does not take a file beside those that the package has; null if it does. Folders count for nothing. */
export function refusalOf(restrictions: Restrictions, file: Asked, sums: Held): ApiError | null {
  if (file.kind === 'directory') return null;
  const { maxPackageSize, maxFileSize, maxFileCount, fileTypes } = restrictions;
  if (!takes(restrictions, file.name)) {
    return new ApiError('invalid_request', { detail: `name: this Portal takes only files of the types ${fileTypes?.join(', ')}.` });
  }
  // What has no size yet is looked at when the package is finalized.
  const size = file.size ?? 0;
  if (maxFileSize > 0 && size > maxFileSize) {
    return new ApiError('over_limit', { detail: `size: this Portal takes files of at most ${maxFileSize} bytes.` });
  }
  if (maxFileCount > 0 && sums.files + 1 > maxFileCount) {
    return new ApiError('over_limit', { detail: `This Portal takes at most ${maxFileCount} files in a package.` });
  }
  if (maxPackageSize > 0 && sums.bytes + size > maxPackageSize) {
    return new ApiError('over_limit', {
      detail: `size: this Portal takes at most ${maxPackageSize} bytes in a package, and ${Math.max(0, maxPackageSize - sums.bytes)} of them are left.`,
    });
  }
  return null;
}
