import { folderNameFor } from '../../folders/targets.ts';
import type { DownloadAutomation } from '../record.ts';
import { packageName } from '../rules/package-name.ts';

type Subfolder = NonNullable<DownloadAutomation['fields']['subfolders']>[number];

/** What subfolders are named after. */
export interface FolderFacts {
  readonly portal: string;
  readonly sender: string;
  /** When the package was made: milliseconds since 1970. */
  readonly createdAt: number;
}

/**
 * The folders between the automation's and that of a package, from the outer to the inner. Each is one name that every
 * system can hold, whatever a Portal or a sender is called. A day is that of this machine, as `2026-11-23`.
 */
export function subfolderNames(subfolders: readonly Subfolder[], facts: FolderFacts, timeZone?: string): string[] {
  const names: Readonly<Record<Subfolder, () => string>> = {
    portal: () => facts.portal,
    sender: () => facts.sender,
    date: () => packageName('{date}', { name: '', folder: '', counter: 0, at: facts.createdAt, timeZone }),
  };
  return subfolders.map((one) => folderNameFor(names[one]()));
}
