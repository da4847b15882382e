import { ApiError } from '#protocol/errors.ts';
import { isWithinSources } from '../../connections/sources.ts';
import { pathFault, splitPath } from './names.ts';
import type { ImportItem } from './ports.ts';

export type Selection = readonly Pick<ImportItem, 'id' | 'name' | 'kind'>[];

/** Problems told at once. */
const maxTold = 10;

/** The path of a folder at the provider as its objects begin with it. */
export const folderOf = (id: string): string => id.replace(/\/+$/, '');

/**
 * Checks what shall be brought into a package, as far as that needs no look at the provider (contract/transfers.md §7).
 * `invalid_request` names the fields: names that a package does not hold or that are there twice, ids that lead elsewhere, and
 * ids outside `sources`, the folders that the connection allows; none allows all.
 */
export function checkSelection(files: Selection | undefined, sources: readonly string[]): asserts files is Selection {
  if (files === undefined || files.length === 0) {
    throw new ApiError('invalid_request', { detail: 'files: name what shall be brought into the package.' });
  }
  const problems: string[] = [];
  const seen = new Map<string, number>();
  for (const [index, { id, name, kind }] of files.entries()) {
    const fault = pathFault(splitPath(name));
    if (fault !== null) problems.push(`files[${index}].name: ${fault}`);
    const before = seen.get(name);
    if (before !== undefined) problems.push(`files[${index}].name: files[${before}] has this name already.`);
    else seen.set(name, index);
    const problem =
      idFault(id, kind) ?? (isWithinSources(sources, folderOf(id)) ? null : 'it lies outside of the folders in source_directory_ids.');
    if (problem !== null) problems.push(`files[${index}].id: ${problem}`);
    if (problems.length >= maxTold) break;
  }
  if (problems.length > 0) throw new ApiError('invalid_request', { detail: problems.join(' ') });
}

function idFault(id: string, kind: Selection[number]['kind']): string | null {
  if (!id.isWellFormed() || id.includes('\0')) return 'it is not well-formed text.';
  if (id.split('/').some((step) => step === '.' || step === '..')) return 'it must not have steps like ".." or ".".';
  if (kind === 'file' && id.endsWith('/')) return 'it ends with a slash, so it is a directory.';
  return null;
}
