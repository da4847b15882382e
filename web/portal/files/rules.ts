import type { PublicPortal } from '#protocol/hosted/portals.ts';
import { limits } from '#protocol/limits.ts';
import { entryFault } from '#protocol/names.ts';
import { type Entry, pathOf, placeOf } from './entry.ts';

/**
 * The limits of a Portal. Bytes; 0: no limit. The service enforces the same limits (service/portals/rules.ts), whatever
 * a page does.
 */
export interface Rules {
  readonly maxPackageSize: number;
  readonly maxFileSize: number;
  readonly maxFileCount: number;
  /** Extensions in lower case with their dots; null: all. */
  readonly fileTypes: readonly string[] | null;
}

export function rulesOf(portal: PublicPortal): Rules {
  const sizes = portal.package_size_restriction_enabled;
  return {
    maxPackageSize: sizes ? portal.max_package_size : 0,
    maxFileSize: sizes ? portal.max_file_size : 0,
    maxFileCount: sizes ? portal.max_file_count : 0,
    fileTypes: portal.file_type_restriction_enabled ? portal.file_types.map((type) => type.toLowerCase()) : null,
  };
}

/** Why one file cannot be sent. */
export type EntryFault = 'type' | 'too_large' | 'name' | 'clash';
/** Why all files together cannot be sent. */
export type SumFault = 'too_many' | 'too_much';

export interface Judgement {
  /** By entry; entries without a problem are not included. */
  readonly faults: ReadonlyMap<Entry, EntryFault>;
  readonly sum: SumFault | null;
  /** The number of files without a problem. */
  readonly files: number;
  readonly bytes: number;
}

/** A name's extension with its dot, in lower case; empty for none. A name that only begins with a dot has none. */
function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot).toLowerCase() : '';
}

export function judge(entries: readonly Entry[], rules: Rules): Judgement {
  const faults = new Map<Entry, EntryFault>();
  const places = new Map<string, string>();
  let [files, bytes] = [0, 0];
  for (const entry of entries) {
    const fault = faultOf(entry, rules, places);
    if (fault) {
      faults.set(entry, fault);
    } else if (entry.kind === 'file') {
      files++;
      bytes += entry.size;
    }
  }
  const tooMany = rules.maxFileCount > 0 && files > rules.maxFileCount;
  const tooMuch = rules.maxPackageSize > 0 && bytes > rules.maxPackageSize;
  return { faults, sum: tooMany ? 'too_many' : tooMuch ? 'too_much' : null, files, bytes };
}

function faultOf(entry: Entry, rules: Rules, places: Map<string, string>): EntryFault | null {
  if (entryFault(entry.path, entry.name) || entry.path.length > limits.pathLength) return 'name';
  const place = placeOf(entry);
  const path = pathOf(entry);
  if ((places.get(place) ?? path) !== path) return 'clash';
  places.set(place, path);
  if (entry.kind === 'directory') return null;
  if (rules.fileTypes && !rules.fileTypes.includes(extensionOf(entry.name))) return 'type';
  const most = rules.maxFileSize > 0 ? Math.min(rules.maxFileSize, limits.maxFileSize) : limits.maxFileSize;
  return entry.size > most ? 'too_large' : null;
}
