import { v7 as uuid } from 'uuid';
import type { Store } from '../../state/store.ts';
import type { DownloadAutomationFacts } from '../record.ts';

/**
 * Keys by which a service makes a package's link once. Each is committed before it is used, so that after a crash the
 * same link comes again with its secret, and no second one is made.
 */

export interface LinkKeyPorts {
  readonly store: Pick<Store, 'writer'>;
  /** What a download automation keeps for itself, as it is now. */
  readonly downloadFacts: (id: string) => DownloadAutomationFacts;
  /** Inside a write. */
  readonly patchFacts: (id: string, facts: DownloadAutomationFacts) => void;
}

/** The key of a package that is to be downloaded: the one of an attempt that came to nothing, or a new one. */
export async function linkKeyFor({ store, downloadFacts, patchFacts }: LinkKeyPorts, id: string, packageId: string): Promise<string> {
  const { linkKeys = {} } = downloadFacts(id);
  const known = linkKeys[packageId];
  if (known !== undefined) return known;
  const key = uuid();
  store.writer.write(() => patchFacts(id, { linkKeys: { ...linkKeys, [packageId]: key } }));
  await store.writer.committed();
  return key;
}

/** Inside the write that makes the transfer, and where the package is over: the next download of it gets another link. */
export function dropLinkKey({ downloadFacts, patchFacts }: LinkKeyPorts, id: string, packageId: string): void {
  const { [packageId]: dropped, ...linkKeys } = downloadFacts(id).linkKeys ?? {};
  if (dropped !== undefined) patchFacts(id, { linkKeys });
}
