import type { Item } from './item.ts';
import type { StoredPackage } from './store.ts';

/** A stored package and its items to send. */
export interface PackageToSend {
  readonly stored: StoredPackage;
  readonly items: readonly Item[];
  /** Releases the lock for other tabs. */
  readonly release: () => void;
}

/** The name of a package's lock across tabs. */
export const lockOf = (packageId: string): string => `longshore-package-${packageId}`;
