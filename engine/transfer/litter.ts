import { temporaryPrefix } from './temporary-name.ts';

/**
 * What systems leave in folders for themselves. It is left out of uploads, and each piece is listed with the
 * transfer as skipped. One that a person names is sent all the same. `._*` is not here: on some disks it
 * holds a part of the file beside it.
 */
export const litterNames: readonly string[] = [
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
];

const known = new Set(litterNames.map((name) => name.toLowerCase()));

/** Whether a name found in a folder is one of a system's own, or a download that is still coming in. */
export function isLitter(name: string): boolean {
  return known.has(name.toLowerCase()) || (name.startsWith(temporaryPrefix) && name.endsWith('.part'));
}
