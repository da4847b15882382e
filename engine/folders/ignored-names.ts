import { markerName } from '../gateway/marker-name.ts';
import { temporaryPrefix } from './temporary-name.ts';

/**
 * Files that operating systems create in folders for themselves. They are left out of uploads, and listed with the
 * transfer as skipped. A file that a person names is sent all the same. `._*` is not included: on some disks it holds a
 * part of the file beside it.
 */
export const ignoredNames: readonly string[] = [
  // macOS
  '.DS_Store',
  '.localized',
  '.apdisk',
  '.Spotlight-V100',
  '.Trashes',
  '.fseventsd',
  '.TemporaryItems',
  '.DocumentRevisions-V100',
  '.VolumeIcon.icns',
  'Icon\r',
  // Windows
  'desktop.ini',
  'Thumbs.db',
  'ehthumbs.db',
  '$RECYCLE.BIN',
  'System Volume Information',
  // Linux, and file servers
  '.directory',
  'lost+found',
  '@eaDir',
  '#recycle',
  // The agent's own, in the root of a storage gateway's mount.
  markerName,
];

const known = new Set(ignoredNames.map((name) => name.toLowerCase()));

/** Whether a name found in a folder belongs to an operating system, or to a download in progress. */
export function isIgnoredName(name: string): boolean {
  return known.has(name.toLowerCase()) || (name.startsWith(temporaryPrefix) && name.endsWith('.part'));
}
