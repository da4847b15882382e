import { limits } from '#protocol/limits.ts';
import { entryFault } from '#protocol/names.ts';
import { acceptsType, type PortalRestrictions } from '#protocol/portal-restrictions.ts';
import { type Entry, pathOf, placeOf } from './entry.ts';

/** Why one file cannot be sent. */
type EntryFault = 'type' | 'too_large' | 'name' | 'clash';
/** Why all files together cannot be sent. */
type SumFault = 'too_many' | 'too_much';

export interface Judgement {
  /** By entry; entries without a problem are not included. */
  readonly faults: ReadonlyMap<Entry, EntryFault>;
  readonly sum: SumFault | null;
  /** The number of files without a problem. */
  readonly files: number;
  readonly bytes: number;
}

export function judge(entries: readonly Entry[], restrictions: PortalRestrictions): Judgement {
  const faults = new Map<Entry, EntryFault>();
  const places = new Map<string, string>();
  let [files, bytes] = [0, 0];
  for (const entry of entries) {
    const fault = faultOf(entry, restrictions, places);
    if (fault) {
      faults.set(entry, fault);
    } else if (entry.kind === 'file') {
      files++;
      bytes += entry.size;
    }
  }
  const tooMany = restrictions.maxFileCount > 0 && files > restrictions.maxFileCount;
  const tooMuch = restrictions.maxPackageSize > 0 && bytes > restrictions.maxPackageSize;
  return { faults, sum: tooMany ? 'too_many' : tooMuch ? 'too_much' : null, files, bytes };
}

function faultOf(entry: Entry, restrictions: PortalRestrictions, places: Map<string, string>): EntryFault | null {
  if (entryFault(entry.path, entry.name) || entry.path.length > limits.pathLength) return 'name';
  const place = placeOf(entry);
  const path = pathOf(entry);
  if ((places.get(place) ?? path) !== path) return 'clash';
  places.set(place, path);
  if (entry.kind === 'directory') return null;
  if (!acceptsType(restrictions, entry.name)) return 'type';
  const most = restrictions.maxFileSize > 0 ? Math.min(restrictions.maxFileSize, limits.maxFileSize) : limits.maxFileSize;
  return entry.size > most ? 'too_large' : null;
}
