import { isAbsolute, resolve } from 'node:path';
import type { FileSystem } from '#filesystem/port.ts';
import { AgentError } from '#protocol/errors.ts';
import { checkRoots } from '../folders/scan.ts';
import type { GivenFields } from './checked-fields.ts';
import { type AutomationRecord, isUpload } from './record.ts';
import { findOverlap, type UsedFolder } from './rules/overlap.ts';

/** Which folders automations read and write, so that nothing is sent that was received, and nothing twice. */

/** The real path, or as much of it as exists. */
function realPath(path: string, fileSystem: FileSystem): string {
  try {
    return fileSystem.realPath(path);
  } catch {
    return resolve(path);
  }
}

function foldersOf(of: string, fields: GivenFields, isSource: boolean, fileSystem: FileSystem): UsedFolder[] {
  const used = (role: UsedFolder['role'], path: unknown): UsedFolder[] =>
    typeof path === 'string' ? [{ of, role, path: realPath(path, fileSystem) }] : [];
  return isSource
    ? [...used('source', fields['folder']), ...(fields['after'] === 'move' ? used('target', fields['move_to']) : [])]
    : used('target', fields['dst_folder']);
}

const nameOf = (name: unknown): string => `the automation "${String(name)}"`;

/** What automations read and write, for others that use folders. */
export const usedFolders = (records: readonly AutomationRecord[], fileSystem: FileSystem): UsedFolder[] =>
  records.flatMap((record) => foldersOf(nameOf(record.fields.name), record.fields, isUpload(record), fileSystem));

/**
 * Checks the folders of an automation before it is saved: `path_not_absolute`; of a watched folder also `path_not_found`
 * and `path_unreadable`; `folders_overlap` where it would send what it receives.
 *
 * @param others the other automations
 * @param more folders of others, such as mounts
 */
export function checkFolders(
  fields: GivenFields,
  isSource: boolean,
  { others, more, fileSystem }: { others: readonly AutomationRecord[]; more: readonly UsedFolder[]; fileSystem: FileSystem },
): void {
  for (const name of isSource ? ['folder', 'move_to'] : ['dst_folder']) {
    const path = fields[name];
    if (typeof path === 'string' && !isAbsolute(path)) throw new AgentError('path_not_absolute', { path });
  }
  if (isSource) {
    const folder = String(fields['folder']);
    checkRoots([folder], fileSystem);
    if (!fileSystem.stat(folder)?.isDirectory()) throw new AgentError('path_unreadable', { path: folder, detail: 'it is not a folder.' });
  }
  const own = foldersOf(nameOf(fields['name']), fields, isSource, fileSystem);
  const used = usedFolders(others, fileSystem);
  const found = findOverlap(own, [...used, ...more]);
  if (found) throw new AgentError('folders_overlap', { folder: found.folder.path, other: found.with.path, detail: found.with.of });
}
