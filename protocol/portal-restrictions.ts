/** What a Portal takes (contract/portals.md §7). Sizes are bytes; 0: no limit. The service enforces it, pages show it first. */
export interface PortalRestrictions {
  readonly maxPackageSize: number;
  readonly maxFileSize: number;
  readonly maxFileCount: number;
  /** Extensions in lower case, with their dots; null: all. */
  readonly fileTypes: readonly string[] | null;
}

/** A Portal as the API or the database has it. */
interface RestrictingPortal {
  readonly package_size_restriction_enabled: boolean;
  readonly max_package_size: number | string;
  readonly max_file_size: number | string;
  readonly max_file_count: number | string;
  readonly file_type_restriction_enabled: boolean;
  readonly file_types: readonly string[];
}

export function portalRestrictions(portal: RestrictingPortal): PortalRestrictions {
  const sizes = portal.package_size_restriction_enabled;
  return {
    maxPackageSize: sizes ? Number(portal.max_package_size) : 0,
    maxFileSize: sizes ? Number(portal.max_file_size) : 0,
    maxFileCount: sizes ? Number(portal.max_file_count) : 0,
    fileTypes: portal.file_type_restriction_enabled ? portal.file_types.map((type) => type.toLowerCase()) : null,
  };
}

/** Whether a file of this name is of a type that the Portal takes. A name whose only dot is at the start has no extension. */
export function acceptsType({ fileTypes }: Pick<PortalRestrictions, 'fileTypes'>, name: string): boolean {
  const dot = name.lastIndexOf('.');
  return fileTypes === null || fileTypes.includes(dot > 0 ? name.slice(dot).toLowerCase() : '');
}
